export declare const grammar: object;
/** The content of syntaxes/nir.tmLanguage.json. */
export declare const grammarText: string;
