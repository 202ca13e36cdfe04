import { writeFileSync } from 'node:fs';
import { grammarText } from './grammar.mjs';

writeFileSync(new URL('../syntaxes/nir.tmLanguage.json', import.meta.url), grammarText);
