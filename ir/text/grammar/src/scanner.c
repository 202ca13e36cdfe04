/*
 * External scanner of the NIR grammar.
 *
 * It does two things:
 *
 * 1. At the start of every line it reads the whole line, decides whether a rule of the grammar takes it, and
 *    if not, offers the line as one `unreadable_line` (in a dump) or `text_line` (between dumps). The parser
 *    therefore never sees a line it cannot parse, and a broken line costs exactly that line. The
 *    functions `read_*` below mirror the rules of grammar.js of the same name: they may accept less
 *    than the rule, never more (tests/ir/text/grammar checks that with mangled lines).
 * 2. It finds the ends of names, which may contain anything (`param@1`, `gl_in[*].x`, `f(i1;`), from what
 *    follows them.
 *
 * It keeps nothing between calls, so any token may be re-lexed in any order.
 */

#include "tree_sitter/alloc.h"
#include "tree_sitter/parser.h"

#include <string.h>

enum TokenType {
  NEWLINE,
  DUMP_END,
  DUMP_CONTINUES,
  TEXT_LINE,
  COMMENT_LINE,
  UNREADABLE_LINE,
  UNREADABLE_IF,
  UNREADABLE_LOOP,
  UNREADABLE_IMPL,
  STRAY_BRACE,
  SHADER_KEY,
  HEADER_KEY,
  HEADER_VALUE,
  CLOSE,
  ELSE,
  CONTINUE,
  QUALIFIER,
  VARIABLE_MODE,
  INTERPOLATION_MODE,
  ACCESS_QUALIFIER,
  IMAGE_FORMAT,
  PRECISION,
  TYPE_NAME,
  VARIABLE_NAME,
  FUNCTION_NAME_BEFORE_PARAMETERS,
  FUNCTION_NAME_BEFORE_BRACE,
  FUNCTION_NAME_WORD,
  DEREF_NAME,
  DEREF_MODES,
  DEREF_TYPE,
  CAST_TYPE,
  STRUCT_MEMBER_TYPE,
  DIVERGENT_CONTROL_FLOW,
  ERROR_SENTINEL,
};

/* How many lines after a dump's last code are searched for more code of the same dump. */
#define MAX_LOOKAHEAD_LINES 256

/* One line, without its line end; what a rule cannot hold is folded to one of these bytes. */
#define NON_ASCII 0x80
#define UNREADABLE_BYTE 0x01

typedef struct {
  uint8_t *line;
  uint32_t capacity;
} Scanner;

typedef struct {
  const uint8_t *p;
  const uint8_t *end;
} Cursor;

typedef enum {
  LINE_UNREADABLE,
  LINE_SHADER,
  LINE_HEADER_FIELD,
  LINE_COMMENT,
  LINE_ANNOTATION,
  LINE_DECLARATION,
  LINE_STRUCT,
  LINE_CODE,       /* a definition, a block, an if: what no log line looks like */
  LINE_LOOSE_CODE, /* `return`, `break`, ...: words a log may hold too */
  LINE_CLOSE,
  LINE_ELSE,
  LINE_CONTINUE,
} LineKind;

/* Characters and words */

static inline bool is_blank(int32_t c) { return c == ' ' || c == '\t'; }
static inline bool is_digit(int32_t c) { return c >= '0' && c <= '9'; }
static inline bool is_lower(int32_t c) { return c >= 'a' && c <= 'z'; }
static inline bool is_upper(int32_t c) { return c >= 'A' && c <= 'Z'; }
static inline bool is_hex(int32_t c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
static inline bool is_identifier(int32_t c) { return is_lower(c) || is_upper(c) || is_digit(c) || c == '_'; }

/* The character set of grammar.js' `_word`. */
static inline bool is_word(int32_t c) {
  switch (c) {
  case ' ': case '\t': case '\r': case '\n': case '\f': case '\v': case ',': case '(': case ')': case '=':
  case '/': case '%': case ';': case '{': case '}': case UNREADABLE_BYTE:
    return false;
  default:
    return true;
  }
}

static inline int32_t peek(const Cursor *c) { return c->p < c->end ? *c->p : -1; }
static inline int32_t peek_at(const Cursor *c, int offset) { return c->p + offset < c->end ? c->p[offset] : -1; }

static bool starts_with(const Cursor *c, const char *text) {
  size_t length = strlen(text);
  return (size_t)(c->end - c->p) >= length && memcmp(c->p, text, length) == 0;
}

/* Blanks, and block comments on this line (the `extras`). */
static void skip_blanks(Cursor *c) {
  for (;;) {
    while (c->p < c->end && is_blank(*c->p)) c->p++;
    if (peek(c) != '/' || peek_at(c, 1) != '*') return;
    const uint8_t *p = c->p + 2;
    while (p + 1 < c->end && !(p[0] == '*' && p[1] == '/')) p++;
    if (p + 1 >= c->end) return;
    c->p = p + 2;
  }
}

static void skip_spaces(Cursor *c) {
  while (is_blank(peek(c))) c->p++;
}

/* As `read_char`, where a line could end: the rules take a comment there for the end of it. */
static bool read_next(Cursor *c, int32_t character) {
  Cursor start = *c;
  skip_spaces(c);
  if (peek(c) == character) {
    c->p++;
    return true;
  }
  *c = start;
  return false;
}

static bool read_char(Cursor *c, int32_t character) {
  skip_blanks(c);
  if (peek(c) != character) return false;
  c->p++;
  return true;
}

static bool read_text(Cursor *c, const char *text) {
  skip_blanks(c);
  if (!starts_with(c, text)) return false;
  c->p += strlen(text);
  return true;
}

/* A word that ends where an identifier would. */
static bool read_keyword(Cursor *c, const char *word) {
  skip_blanks(c);
  size_t length = strlen(word);
  if (!starts_with(c, word) || is_identifier(peek_at(c, (int)length))) return false;
  c->p += length;
  return true;
}

static bool read_one_of(Cursor *c, const char *const *words) {
  for (; *words; words++)
    if (read_keyword(c, *words)) return true;
  return false;
}

static bool read_digits(Cursor *c) {
  if (!is_digit(peek(c))) return false;
  while (is_digit(peek(c))) c->p++;
  return true;
}

static bool read_number(Cursor *c) {
  skip_blanks(c);
  Cursor start = *c;
  if (peek(c) == '-' || peek(c) == '+') c->p++;
  if (read_digits(c)) return true;
  *c = start;
  return false;
}

static bool read_identifier(Cursor *c) {
  skip_blanks(c);
  if (!is_lower(peek(c)) && peek(c) != '_') return false;
  while (is_identifier(peek(c))) c->p++;
  return true;
}

static bool read_word(Cursor *c) {
  skip_blanks(c);
  if (!is_word(peek(c)) || peek(c) < 0) return false;
  while (c->p < c->end && is_word(*c->p)) c->p++;
  return true;
}

/* NUMBER_FORM of grammar.js. */
static bool read_constant(Cursor *c) {
  skip_blanks(c);
  if (starts_with(c, "true")) { c->p += 4; return !is_identifier(peek(c)); }
  if (starts_with(c, "false")) { c->p += 5; return !is_identifier(peek(c)); }
  if (peek(c) == '-' || peek(c) == '+') c->p++;
  if (starts_with(c, "inf") || starts_with(c, "nan")) { c->p += 3; return !is_identifier(peek(c)); }
  if (starts_with(c, "0x")) {
    c->p += 2;
    while (peek(c) == ' ') c->p++;
    if (!is_hex(peek(c))) return false;
    while (is_hex(peek(c))) c->p++;
    return !is_identifier(peek(c));
  }
  if (!read_digits(c)) return false;
  if (peek(c) == '.') {
    c->p++;
    while (is_digit(peek(c))) c->p++;
  }
  if (peek(c) == 'e') {
    c->p++;
    if (peek(c) == '-' || peek(c) == '+') c->p++;
    if (!read_digits(c)) return false;
  }
  return !is_identifier(peek(c)) && peek(c) != '.';
}

static bool read_inline_constant(Cursor *c) {
  Cursor start = *c;
  skip_spaces(c);
  if (starts_with(c, "/*(")) {
    c->p += 3;
    while (c->p < c->end && *c->p != '*' && *c->p != '/') c->p++;
    if (c->p[-1] == ')' && starts_with(c, "*/")) {
      c->p += 2;
      return true;
    }
    goto fail;
  }
  if (peek(c) != '(') goto fail;
  c->p++;
  for (;;) {
    if (is_blank(peek(c)) || peek(c) == '/' || !read_constant(c)) goto fail;
    if (peek(c) == ')') break;
    if (peek(c) != ',') goto fail;
    c->p++;
    if (peek(c) == ' ') c->p++;
  }
  c->p++;
  return true;
fail:
  *c = start;
  return false;
}

/* Values */

static bool read_ssa_ref(Cursor *c) {
  skip_blanks(c);
  Cursor start = *c;
  if (peek(c) == '%') c->p++;
  else if (starts_with(c, "ssa_")) c->p += 4;
  else return false;
  if (read_digits(c) && !is_identifier(peek(c))) return true;
  *c = start;
  return false;
}

static bool read_register_ref(Cursor *c) {
  skip_blanks(c);
  Cursor start = *c;
  if (peek(c) == 'g') c->p++;
  if (peek(c) == 'r') {
    c->p++;
    if (read_digits(c) && !is_identifier(peek(c))) return true;
  }
  *c = start;
  return false;
}

/* A word like `ssa_4x` or `r3_x`, which the lexer would split. */
static bool begins_like_value(const Cursor *c) {
  if (starts_with(c, "ssa_")) return is_digit(peek_at(c, 4));
  if (peek(c) == 'r') return is_digit(peek_at(c, 1));
  return starts_with(c, "gr") && is_digit(peek_at(c, 2));
}

static bool read_suffix(Cursor *c) {
  if (peek(c) != '.' || !is_identifier(peek_at(c, 1))) return false;
  c->p++;
  while (is_identifier(peek(c))) c->p++;
  return true;
}

static bool is_debug_name(int32_t c) { return is_identifier(c) || c == '@' || c == '$' || c == ':'; }

/* `_debug_name` of grammar.js: `.color`, `.light.color[2]`. */
static bool read_debug_name(Cursor *c) {
  Cursor start = *c;
  while (peek(c) == '.' && is_debug_name(peek_at(c, 1))) {
    c->p++;
    while (is_debug_name(peek(c)) || (peek(c) == '-' && is_debug_name(peek_at(c, 1)))) c->p++;
    for (;;) {
      Cursor index = *c;
      if (peek(c) != '[') break;
      c->p++;
      while (is_digit(peek(c))) c->p++;
      if (peek(c) == ']') { c->p++; continue; }
      *c = index;
      break;
    }
  }
  return c->p > start.p;
}

static bool read_swizzle(Cursor *c) {
  Cursor start = *c;
  if (!read_suffix(c)) return false;
  bool xyzw = true, a_to_p = true;
  for (const uint8_t *p = start.p + 1; p < c->p; p++) {
    if (*p < 'w' || *p > 'z') xyzw = false;
    if (*p < 'a' || *p > 'p') a_to_p = false;
  }
  if (xyzw || a_to_p) return true;
  *c = start;
  return false;
}

/* What a driver or Mesa's validator writes behind an instruction: `annotation` of grammar.js. */
static bool begins_annotation(const Cursor *c) {
  static const char *const words[] = { "handled ", "known ", "supported ", "expected " };
  if (starts_with(c, "error:")) return true;
  if (!starts_with(c, "Un") && !starts_with(c, "un")) return false;
  Cursor rest = *c;
  rest.p += 2;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (starts_with(&rest, words[i])) return true;
  return false;
}

/* What may follow a reference: its debug name, inlined constant and swizzle. */
static void read_value_suffix(Cursor *c) {
  read_debug_name(c);
  if (read_inline_constant(c)) read_swizzle(c);
}

/* `[2 + ssa_3]`; a register as the index of a register is not nested further. */
static bool read_register_index(Cursor *c) {
  if (!read_char(c, '[') || !read_number(c)) return false;
  if (read_char(c, '+')) {
    if (!read_ssa_ref(c) && !read_register_ref(c)) return false;
    read_value_suffix(c);
  }
  return read_char(c, ']');
}

static bool read_register(Cursor *c) {
  Cursor start = *c;
  if (!read_register_ref(c)) return false;
  Cursor bracket = *c;
  skip_spaces(&bracket);
  if (peek(&bracket) != '[' || read_register_index(c)) return true;
  *c = start;
  return false;
}

/* `_value_suffix` of grammar.js. */
static bool read_value(Cursor *c) {
  if (!read_ssa_ref(c) && !read_register(c)) return false;
  read_value_suffix(c);
  return true;
}

static bool read_alu_source(Cursor *c) {
  if (peek(c) == '-' || (skip_blanks(c), peek(c) == '-')) c->p++;
  if (read_keyword(c, "abs")) return read_char(c, '(') && read_value(c) && read_char(c, ')');
  return read_value(c);
}

static bool read_value_type(Cursor *c) {
  skip_blanks(c);
  if (starts_with(c, "vec") || starts_with(c, "error")) {
    bool is_error = *c->p == 'e';
    if (!is_error) {
      c->p += 3;
      if (!read_digits(c)) return false;
    } else {
      c->p += 5;
    }
    if (!is_blank(peek(c))) return false;
    Cursor components = *c;
    while (is_blank(peek(c))) c->p++;
    if (read_digits(c)) return !is_identifier(peek(c));
    *c = components;
    return !is_error;
  }
  if (!read_digits(c)) return false;
  if (peek(c) == 'x') {
    c->p++;
    if (starts_with(c, "??")) c->p += 2;
    else if (!read_digits(c)) return false;
  }
  return !is_identifier(peek(c));
}

static bool read_divergence(Cursor *c) { return read_keyword(c, "con") || read_keyword(c, "div"); }

static bool read_dest(Cursor *c) {
  Cursor start = *c;
  read_divergence(c);
  if (read_register(c)) {
    read_swizzle(c);
    return true;
  }
  if (!read_value_type(c)) { *c = start; return false; }
  read_divergence(c);
  if (!read_ssa_ref(c)) { *c = start; return false; }
  read_debug_name(c);
  return true;
}

static bool read_block_label(Cursor *c) {
  skip_blanks(c);
  Cursor start = *c;
  if (starts_with(c, "block_")) c->p += 6;
  else if (peek(c) == 'b') c->p++;
  if (c->p != start.p && read_digits(c) && !is_identifier(peek(c))) return true;
  *c = start;
  return false;
}

/* `_trailer`, to the end of the line. */
static bool read_trailer(Cursor *c) {
  skip_spaces(c);
  if (starts_with(c, "(pass_flags:")) {
    c->p += 12;
    while (peek(c) == ' ') c->p++;
    if (!starts_with(c, "0x")) return false;
    c->p += 2;
    if (!is_hex(peek(c))) return false;
    while (is_digit(peek(c)) || (peek(c) >= 'a' && peek(c) <= 'f')) c->p++;
    if (peek(c) != ')') return false;
    c->p++;
  }
  skip_blanks(c);
  if (starts_with(c, "//") || begins_annotation(c)) c->p = c->end;
  return c->p == c->end;
}

/* Names that end where what follows them begins. They read either from a line or from the lexer. */

typedef struct {
  TSLexer *lexer; /* NULL: read from `cursor` */
  Cursor cursor;
} Reader;

static inline int32_t reader_peek(Reader *r) {
  if (!r->lexer) return peek(&r->cursor);
  if (r->lexer->eof(r->lexer) || r->lexer->lookahead == '\n' || r->lexer->lookahead == '\r') return -1;
  /* What is no character (0, or -1 for bytes that are not UTF-8) only has to be no delimiter. */
  return r->lexer->lookahead <= 0 || r->lexer->lookahead > 0x7f ? NON_ASCII : r->lexer->lookahead;
}

static inline void reader_advance(Reader *r) {
  if (r->lexer) r->lexer->advance(r->lexer, false);
  else r->cursor.p++;
}

static inline void reader_skip_blanks(Reader *r) {
  while (is_blank(reader_peek(r))) {
    if (r->lexer) r->lexer->advance(r->lexer, true);
    else r->cursor.p++;
  }
}

/* The token ends here, unless a later call says otherwise. `end` is the same place for a line reader. */
static inline void reader_mark(Reader *r, const uint8_t **end) {
  if (r->lexer) r->lexer->mark_end(r->lexer);
  else *end = r->cursor.p;
}

static inline bool reader_text(Reader *r, const char *text) {
  for (; *text; text++) {
    if (reader_peek(r) != *text) return false;
    reader_advance(r);
  }
  return true;
}

static bool ends_or_blank(Reader *r) { return reader_peek(r) < 0 || is_blank(reader_peek(r)); }

/* After a variable name: `(VARYING_SLOT_VAR0.xyzw, 0, 0)`, already past the blank before it. */
static bool is_location(Reader *r) {
  if (reader_peek(r) != '(') return false;
  reader_advance(r);
  int32_t c = reader_peek(r);
  if (!is_upper(c) && !is_digit(c) && c != '~' && c != '-') return false;
  while (is_identifier(c) || c == '~' || c == '-') { reader_advance(r); c = reader_peek(r); }
  if (c == '.') {
    reader_advance(r);
    c = reader_peek(r);
    bool any = false, xyzw = true, a_to_p = true;
    while (is_identifier(c)) {
      any = true;
      if (c < 'w' || c > 'z') xyzw = false;
      if (c < 'a' || c > 'p') a_to_p = false;
      reader_advance(r);
      c = reader_peek(r);
    }
    if (!any || !(xyzw || a_to_p)) return false;
  }
  for (int i = 0; i < 2 && c == ','; i++) {
    reader_advance(r);
    while (is_blank(reader_peek(r))) reader_advance(r);
    c = reader_peek(r);
    if (c == '-') { reader_advance(r); c = reader_peek(r); }
    if (!is_digit(c)) return false;
    while (is_digit(c)) { reader_advance(r); c = reader_peek(r); }
  }
  if (c != ')') return false;
  reader_advance(r);
  return ends_or_blank(r);
}

/* What ends a name in a declaration, at a place after a blank. */
static bool ends_variable_name(Reader *r) {
  switch (reader_peek(r)) {
  case -1: return true;
  case '(': return is_location(r);
  case '=': reader_advance(r); return is_blank(reader_peek(r));
  case '/': reader_advance(r); return reader_peek(r) == '/' || reader_peek(r) == '*';
  case 'e': return reader_text(r, "error:");
  default: return false;
  }
}

/* After the name of a dereferenced variable or member: `(shader_in vec4)`, past the blank before it. */
static bool ends_deref_name(Reader *r) {
  if (reader_peek(r) != '(') return false;
  reader_advance(r);
  while (is_lower(reader_peek(r)) || is_digit(reader_peek(r)) || reader_peek(r) == '_' || reader_peek(r) == '|')
    reader_advance(r);
  return is_blank(reader_peek(r));
}

static bool ends_function_name(Reader *r) { return reader_peek(r) == '(' || reader_peek(r) < 0; }

static bool ends_impl_name(Reader *r) {
  if (reader_peek(r) != '{') return false;
  reader_advance(r);
  return ends_or_blank(r);
}

/* The name that Mesa prints for a function without one, or the start of a list. */
static bool read_no_name(Reader *r, const uint8_t **end) {
  if (reader_peek(r) != '(') return false;
  if (!reader_text(r, "(null)")) return false;
  reader_mark(r, end);
  while (is_blank(reader_peek(r))) reader_advance(r);
  return true;
}

/* Words until `ends` says so at the start of one (which may be the first: then the name is empty). */
static bool read_name(Reader *r, bool (*ends)(Reader *), const uint8_t **end) {
  bool any = false;
  reader_skip_blanks(r);
  reader_mark(r, end);
  if (ends == ends_function_name && reader_peek(r) == '(') {
    if (!read_no_name(r, end)) return false;
    any = true;
  }
  for (;;) {
    bool at_end = reader_peek(r) < 0;
    if (ends(r)) return any;
    if (at_end) return false;
    /* What `ends` has read on the way to its answer is part of the name. */
    any = true;
    while (!ends_or_blank(r)) reader_advance(r);
    reader_mark(r, end);
    while (is_blank(reader_peek(r))) reader_advance(r);
  }
}

/* One word: anything but blanks. */
static bool read_blank_free(Reader *r, const uint8_t **end) {
  reader_skip_blanks(r);
  if (ends_or_blank(r)) return false;
  while (!ends_or_blank(r)) reader_advance(r);
  reader_mark(r, end);
  return true;
}

/* The type in `(shader_in vec4[3])`: up to the parenthesis before a blank or the end of the line. A struct may
 * have no name. */
static bool read_deref_type(Reader *r, const uint8_t **end) {
  for (;;) {
    int32_t c = reader_peek(r);
    if (c < 0) return false;
    reader_mark(r, end);
    reader_advance(r);
    if (c == ')' && ends_or_blank(r)) return true;
  }
}

/* The type in `(vec4 *)%3`: up to ` *)`. */
static bool read_cast_type(Reader *r, const uint8_t **end) {
  bool any = false;
  reader_skip_blanks(r);
  reader_mark(r, end);
  for (;;) {
    if (reader_peek(r) < 0) return false;
    if (reader_peek(r) == '*') {
      reader_advance(r);
      if (reader_peek(r) == ')') return any;
      any = true;
      reader_mark(r, end);
    } else if (is_blank(reader_peek(r))) {
      reader_advance(r);
    } else {
      reader_advance(r);
      any = true;
      reader_mark(r, end);
    }
  }
}

/* Declarations */

static const char *const QUALIFIERS[] = {
  "bindless", "centroid", "sample", "patch", "invariant", "per_view", "per_primitive", "per_vertex", "ray_query",
  "fb_fetch_output", NULL,
};

static const char *const ACCESS[] = {
  "none", "coherent", "restrict", "volatile", "readonly", "non-writeable", "writeonly", "non-readable",
  "non-uniform", "reorderable", "non-temporal", "include-helpers", "is-swizzled-amd", "uses-format-amd",
  "fmask-lowered-amd", "speculatable", "cp-ge-coherent-amd", "in-bounds", "in-bounds-agx", "keep-scalar", "smem-amd",
  "skip-helpers", "atomic", "fused-eu-disable-intel", "sparse", "istream-pan", "estream-pan", "stream-cache-policy",
  NULL,
};

static const char *const PRECISIONS[] = { "highp", "mediump", "lowp", NULL };

static bool word_is(const uint8_t *word, size_t length, const char *const *list) {
  for (; *list; list++)
    if (strlen(*list) == length && memcmp(word, *list, length) == 0) return true;
  return false;
}

/* `image2D`, `uimageBuffer[4]`, `i64image2DArray`: the types that a format precedes. */
static bool is_image_type(const uint8_t *word, size_t length) {
  if (length && (*word == 'i' || *word == 'u' || *word == 'v') && length > 6 && word[1] != 'm') {
    word++, length--;
    if (length > 2 && word[0] == '6' && word[1] == '4') word += 2, length -= 2;
  }
  if (length >= 12 && memcmp(word, "subpassInput", 12) == 0) return true;
  if (length < 7 || memcmp(word, "image", 5) != 0) return false;
  return is_digit(word[5]) || (length >= 9 && memcmp(word + 5, "Cube", 4) == 0) ||
         (length >= 11 && memcmp(word + 5, "Buffer", 6) == 0) ||
         (length >= 13 && memcmp(word + 5, "External", 8) == 0);
}

#define MAX_WORD 64

/* The word at the reader, and its length; of a longer one only the start is kept. A type may have blanks between
 * angle brackets: `coopmat<float, SCOPE_SUBGROUP, 16, 16, A>`. */
static size_t copy_word(Reader *r, uint8_t word[MAX_WORD]) {
  size_t length = 0;
  bool in_brackets = false;
  while (reader_peek(r) >= 0 && (in_brackets || !is_blank(reader_peek(r)))) {
    int32_t c = reader_peek(r);
    if (c == '<') in_brackets = true;
    if (c == '>') in_brackets = false;
    if (length < MAX_WORD) word[length] = (uint8_t)c;
    length++;
    reader_advance(r);
  }
  return length;
}

/* One of the words of a declaration before its name; `after_interpolation` says on which side of that word. */
static bool read_declaration_word(Reader *r, bool after_interpolation, bool access_allowed, bool format_allowed,
                                  enum TokenType *type, const uint8_t **end) {
  uint8_t word[MAX_WORD];
  reader_skip_blanks(r);
  size_t length = copy_word(r, word);
  if (length == 0) return false;
  reader_mark(r, end);
  if (!after_interpolation) {
    if (length > 7 && memcmp(word, "INTERP_", 7) == 0) *type = INTERPOLATION_MODE;
    else if (length < MAX_WORD && word_is(word, length, QUALIFIERS)) *type = QUALIFIER;
    else *type = VARIABLE_MODE;
    return true;
  }
  *type = TYPE_NAME;
  if (length >= MAX_WORD) return true;
  if (word_is(word, length, PRECISIONS)) {
    *type = PRECISION;
    return true;
  }
  if (format_allowed || access_allowed) {
    uint8_t next[MAX_WORD];
    bool access = access_allowed && word_is(word, length, ACCESS);
    bool format = false;
    if (format_allowed && (!access || (length == 4 && memcmp(word, "none", 4) == 0))) {
      while (is_blank(reader_peek(r))) reader_advance(r);
      size_t next_length = copy_word(r, next);
      if (next_length < MAX_WORD && word_is(next, next_length, PRECISIONS)) {
        while (is_blank(reader_peek(r))) reader_advance(r);
        next_length = copy_word(r, next);
      }
      if (next_length > MAX_WORD) next_length = MAX_WORD;
      format = is_image_type(next, next_length);
    }
    if (format) *type = IMAGE_FORMAT;
    else if (access) *type = ACCESS_QUALIFIER;
  }
  return true;
}

static bool read_initializer(Cursor *c) {
  skip_blanks(c);
  if (peek(c) == '{') {
    const uint8_t *last = c->end;
    while (last > c->p && last[-1] != '}') last--;
    if (last == c->p) return false;
    c->p = last;
    return true;
  }
  if (peek(c) == '&') {
    c->p++;
    if (c->p == c->end || is_blank(*c->p)) return false;
    while (c->p < c->end && !is_blank(*c->p)) c->p++;
    return true;
  }
  return read_keyword(c, "null");
}

static bool read_variable_declaration(Cursor *c) {
  Reader r = { NULL, *c };
  const uint8_t *end = c->p;
  enum TokenType type;
  bool mode = false, after_interpolation = false, access = true, format = true;
  for (;;) {
    /* Reading on behind the word is how a format is known; the word itself ends at `end`. */
    if (!read_declaration_word(&r, after_interpolation, access, format, &type, &end)) return false;
    r.cursor.p = end;
    if (type == QUALIFIER && mode) return false;
    if (type == VARIABLE_MODE && mode) return false;
    if (type == VARIABLE_MODE) mode = true;
    if (type == INTERPOLATION_MODE) after_interpolation = true;
    if (type == IMAGE_FORMAT) access = format = false;
    if (type == PRECISION) {
      if (!after_interpolation) return false;
      access = format = false;
      /* Behind the precision comes the type, whatever it is called. */
      Reader rest = r;
      if (!read_blank_free(&rest, &end)) return false;
      r = rest;
      break;
    }
    if (type == TYPE_NAME) break;
  }
  if (!ends_or_blank(&r)) return false;
  Reader name = r;
  if (read_name(&name, ends_variable_name, &end)) r.cursor.p = end;
  *c = r.cursor;
  Reader location = { NULL, *c };
  reader_skip_blanks(&location);
  Reader start = location;
  if (is_location(&location)) {
    *c = location.cursor;
    skip_spaces(c);
    if (starts_with(c, "compact")) read_keyword(c, "compact");
  } else if (reader_peek(&start) == '(') {
    return false;
  }
  skip_spaces(c);
  if (peek(c) == '=') {
    c->p++;
    if (!read_initializer(c)) return false;
  }
  return read_trailer(c);
}

static bool read_register_declaration(Cursor *c) {
  if (!read_value_type(c)) return false;
  read_text(c, "(packed)");
  read_divergence(c);
  if (!read_register_ref(c)) return false;
  if (read_next(c, '[') && !(read_number(c) && read_char(c, ']'))) return false;
  return read_trailer(c);
}

static bool read_attribute(Cursor *c) {
  skip_spaces(c);
  Cursor start = *c;
  if (peek(c) == '(') {
    c->p++;
    while (is_lower(peek(c)) || is_digit(peek(c)) || peek(c) == '_' || peek(c) == ' ' || peek(c) == '-') c->p++;
    if (peek(c) == ')' && c->p > start.p + 1) {
      c->p++;
      return true;
    }
  }
  *c = start;
  return false;
}

static bool read_function_declaration(Cursor *c) {
  Reader r = { NULL, *c };
  const uint8_t *end;
  if (!read_name(&r, ends_function_name, &end)) return false;
  c->p = end;
  if (!read_next(c, '(')) return read_trailer(c);
  Cursor list = *c;
  if (!(read_value_type(c) && read_keyword(c, "params") && read_char(c, ')'))) {
    *c = list;
    if (!read_char(c, ')')) {
      do {
        if (!read_value_type(c)) return false;
        skip_blanks(c);
        if (peek(c) != ',' && peek(c) != ')' && !read_word(c)) return false;
      } while (read_char(c, ','));
      if (!read_char(c, ')')) return false;
    }
  }
  while (read_attribute(c)) {}
  return read_trailer(c);
}

static bool read_impl(Cursor *c) {
  Reader r = { NULL, *c };
  const uint8_t *end;
  if (!read_name(&r, ends_impl_name, &end)) return false;
  c->p = end;
  return read_char(c, '{') && read_trailer(c);
}

/* The rest of ` vec4 name;` after the type. */
static bool read_struct_member_name(Cursor *c) {
  if (!is_blank(peek(c))) return false;
  while (is_blank(peek(c))) c->p++;
  const uint8_t *name = c->p;
  while (c->p < c->end && !is_blank(*c->p) && *c->p != ';') c->p++;
  if (c->p == name || peek(c) != ';') return false;
  c->p++;
  while (is_blank(peek(c))) c->p++;
  return c->p == c->end;
}

/* Instructions */

/* ` + ssa_3].color[1 + ssa_4]` behind the word `table[2` at `word`: `_variable_path` of grammar.js. */
static bool read_rest_of_path(Cursor *c, const uint8_t *word) {
  bool any = false;
  for (const uint8_t *least = word + 1;; least = word, any = true) {
    Cursor start = *c;
    const uint8_t *digit = c->p;
    while (digit > word && is_digit(digit[-1])) digit--;
    bool is_offset = digit < c->p && digit > least && digit[-1] == '[' && starts_with(c, " + ");
    if (is_offset) {
      c->p += 3;
      is_offset = begins_like_value(c) && peek(c) != 'g';
      while (is_identifier(peek(c))) c->p++;
      is_offset = is_offset && is_digit(c->p[-1]) && peek(c) == ']';
    }
    if (!is_offset) {
      *c = start;
      return any;
    }
    word = ++c->p;
    while (c->p < c->end && is_word(*c->p)) c->p++;
  }
}

static bool read_index(Cursor *c) {
  Cursor start = *c;
  if (read_ssa_ref(c) || read_register_ref(c)) {
    *c = start;
    return read_value(c);
  }
  skip_blanks(c);
  if (begins_like_value(c)) return false;
  if (starts_with(c, "xfb")) {
    c->p += 3;
    while (is_digit(peek(c))) c->p++;
    if (!is_word(peek(c))) {
      if (!read_char(c, '(')) return false;
      if (read_char(c, ')')) return true;
      do {
        int fields = 0;
        for (;;) {
          skip_blanks(c);
          if (peek(c) == ',' || peek(c) == ')') break;
          if (!read_word(c) || !read_char(c, '=') || !read_word(c)) return false;
          fields++;
        }
        if (!fields) return false;
      } while (read_char(c, ','));
      return read_char(c, ')');
    }
    *c = start;
  }
  skip_blanks(c);
  if (starts_with(c, "io") && is_blank(peek_at(c, 2))) {
    c->p += 2;
    int fields = 0;
    for (;;) {
      skip_blanks(c);
      if (peek(c) == ',' || peek(c) == ')') return fields > 0;
      if (starts_with(c, "gs_streams") && (peek_at(c, 10) == '(')) {
        c->p += 11;
        while (!read_char(c, ')'))
          if (!read_word(c) || !read_char(c, '=') || !read_word(c)) return false;
      } else {
        Cursor word = *c;
        if (!read_word(c)) return false;
        size_t length = (size_t)(c->p - word.p);
        bool takes_value = (length == 8 && memcmp(word.p, "location", 8) == 0) ||
                           (length == 5 && memcmp(word.p, "slots", 5) == 0);
        if (length == 2 && memcmp(word.p, "io", 2) == 0) return false;
        if (length == 10 && memcmp(word.p, "gs_streams", 10) == 0) return false;
        if (read_char(c, '=')) {
          if (!read_word(c)) return false;
        } else if (takes_value) {
          return false;
        }
      }
      fields++;
    }
  }
  Cursor word = *c;
  if (!read_word(c)) return false;
  if (c->p - word.p == 2 && memcmp(word.p, "io", 2) == 0) return false;
  if (read_rest_of_path(c, word.p)) return true;
  skip_blanks(c);
  if (peek(c) != '=') return true;
  c->p++;
  skip_blanks(c);
  if (peek(c) == ',' || peek(c) == ')') return true;
  if (read_word(c)) return true;
  /* `swizzle_mask=((id & 31) | 0) ^ 1` */
  if (!starts_with(c, "((id & ")) return false;
  c->p += 7;
  if (is_blank(peek(c)) || !read_number(c) || !starts_with(c, ") | ")) return false;
  c->p += 4;
  if (is_blank(peek(c)) || !read_number(c) || !starts_with(c, ") ^ ")) return false;
  c->p += 4;
  return !is_blank(peek(c)) && read_number(c);
}

static bool read_intrinsic(Cursor *c) {
  while (read_next(c, '(')) {
    /* Where a list would begin may be the pass flags. */
    if (starts_with(c, "pass_flags:")) {
      c->p--;
      break;
    }
    if (read_char(c, ')')) continue;
    do {
      if (!read_index(c)) return false;
    } while (read_char(c, ','));
    if (!read_char(c, ')')) return false;
  }
  return read_trailer(c);
}

static bool read_load_const(Cursor *c) {
  if (!read_char(c, '(')) return false;
  do {
    if (!read_constant(c)) return false;
  } while (read_char(c, ',') || read_char(c, '='));
  if (!read_char(c, ')')) return false;
  while (read_next(c, '=')) {
    if (!read_char(c, '(')) return false;
    do {
      if (!read_constant(c)) return false;
    } while (read_char(c, ','));
    if (!read_char(c, ')')) return false;
  }
  return read_trailer(c);
}

static bool read_phi(Cursor *c) {
  if (read_block_label(c)) {
    for (;;) {
      if (!read_char(c, ':') || !read_value(c)) return false;
      if (!read_next(c, ',')) break;
      if (!read_block_label(c)) return false;
    }
  }
  return read_trailer(c);
}

static bool read_deref_modes_and_type(Cursor *c) {
  skip_blanks(c);
  if (peek(c) != '(') return false;
  c->p++;
  if (!is_blank(peek(c))) {
    while (is_lower(peek(c)) || is_digit(peek(c)) || peek(c) == '_' || peek(c) == '|') c->p++;
    if (!is_blank(peek(c))) return false;
  }
  while (is_blank(peek(c))) c->p++;
  Cursor precision = *c;
  if (read_one_of(c, PRECISIONS)) {
    if (!is_blank(peek(c))) *c = precision;
  }
  Reader r = { NULL, *c };
  const uint8_t *end;
  if (!read_deref_type(&r, &end)) return false;
  c->p = end + 1;
  return true;
}

static bool read_deref_name(Cursor *c) {
  Reader r = { NULL, *c };
  const uint8_t *end;
  if (read_name(&r, ends_deref_name, &end)) c->p = end;
  return true;
}

static bool read_deref_var(Cursor *c) {
  return read_char(c, '&') && read_deref_name(c) && read_deref_modes_and_type(c) && read_trailer(c);
}

static bool read_deref_struct(Cursor *c) {
  return read_char(c, '&') && read_value(c) && read_text(c, "->") && read_deref_name(c) &&
         read_deref_modes_and_type(c) && read_trailer(c);
}

static bool read_deref_array(Cursor *c) {
  if (!(read_char(c, '&') && read_char(c, '(') && read_char(c, '*') && read_value(c) && read_char(c, ')')))
    return false;
  if (!read_char(c, '[')) return false;
  if (!read_char(c, '*') && !read_number(c) && !read_value(c)) return false;
  if (!read_char(c, ']') || !read_deref_modes_and_type(c)) return false;
  skip_spaces(c);
  if (starts_with(c, "(in bounds)")) c->p += 11;
  return read_trailer(c);
}

static bool read_deref_cast(Cursor *c) {
  if (!read_char(c, '(')) return false;
  Reader r = { NULL, *c };
  const uint8_t *end;
  if (read_cast_type(&r, &end)) c->p = end;
  if (!(read_char(c, '*') && read_char(c, ')') && read_value(c) && read_deref_modes_and_type(c))) return false;
  skip_spaces(c);
  if (peek(c) == '(' && !starts_with(c, "(pass_flags:")) {
    c->p++;
    if (!read_char(c, ')')) {
      do {
        if (!read_word(c) || !read_char(c, '=') || !read_word(c)) return false;
      } while (read_char(c, ','));
      if (!read_char(c, ')')) return false;
    }
  }
  return read_trailer(c);
}

static bool read_tex_kind(Cursor *c) {
  skip_spaces(c);
  Cursor start = *c;
  if (peek(c) == '(' && !starts_with(c, "(pass_flags:")) {
    c->p++;
    while (is_lower(peek(c)) || is_digit(peek(c)) || peek(c) == '_' || peek(c) == '-') c->p++;
    if (peek(c) == ')' && c->p > start.p + 1) {
      c->p++;
      return true;
    }
  }
  *c = start;
  return false;
}

static inline bool is_tex_word(int32_t c) {
  return is_identifier(c) || c == '.' || c == '=' || c == '[' || c == ']' || c == '-';
}

static bool read_tex(Cursor *c) {
  for (;;) {
    if (read_next(c, ',')) continue;
    Cursor start = *c;
    if (read_trailer(c)) return true;
    *c = start;
    skip_spaces(c);
    if (peek(c) == '/') return false;
    if (read_ssa_ref(c) || read_register_ref(c)) {
      *c = start;
      if (!read_value(c) || !read_tex_kind(c)) return false;
    } else if (is_digit(peek(c)) && peek_at(c, 1) == 'D') {
      c->p += 2;
      while (peek(c) == '-' || is_identifier(peek(c))) {
        if (peek(c) == '_' || (peek(c) == '-' && (!is_identifier(peek_at(c, 1)) || peek_at(c, 1) == '_'))) return false;
        if (c->p[-1] == 'D' && c->p == start.p + 2 && peek(c) != '-') return false;
        c->p++;
      }
      read_tex_kind(c);
    } else if (is_digit(peek(c)) || ((peek(c) == '-' || peek(c) == '+') && is_digit(peek_at(c, 1)))) {
      if (!read_number(c) || is_identifier(peek(c)) || !read_tex_kind(c)) return false;
    } else if (peek(c) == '{') {
      c->p++;
      do {
        if (!(read_char(c, '(') && read_number(c) && read_char(c, ',') && read_number(c) && read_char(c, ')')))
          return false;
      } while (read_char(c, ','));
      if (!read_char(c, '}') || !read_tex_kind(c)) return false;
    } else if (is_lower(peek(c)) || is_upper(peek(c)) || peek(c) == '_') {
      if (begins_like_value(c)) return false;
      /* Words of one flag have one space between them: `texture non-uniform`. */
      const uint8_t *word = c->p;
      for (;;) {
        while (is_tex_word(peek(c))) c->p++;
        if (peek(c) != ' ' || !is_identifier(peek_at(c, 1))) break;
        c->p++;
        word = c->p;
      }
      if (starts_with(c, " + ") && !read_rest_of_path(c, word)) return false;
      read_tex_kind(c);
    } else if (!read_tex_kind(c)) {
      return false;
    }
  }
}

static bool read_alu(Cursor *c) {
  if (peek(c) == '!') c->p++;
  while (peek(c) == '.') {
    c->p++;
    if (!is_lower(peek(c)) && peek(c) != '_') return false;
    while (is_lower(peek(c)) || peek(c) == '_') c->p++;
  }
  if (!is_blank(peek(c))) return false;
  /* Fast-math words before the sources: `fadd nsz,nnan %1, %2`. */
  for (;;) {
    Cursor start = *c;
    if (read_alu_source(c)) break;
    *c = start;
    do {
      skip_blanks(c);
      if (begins_like_value(c) || read_keyword(c, "abs") || !read_identifier(c)) return false;
    } while (read_char(c, ','));
  }
  while (read_next(c, ','))
    if (!read_alu_source(c)) return false;
  return read_trailer(c);
}

static bool read_copy_side(Cursor *c) {
  read_char(c, '*');
  return read_value(c);
}

/* From after the `=` of the first copy. */
static bool read_parallel_copy(Cursor *c) {
  for (;;) {
    if (!read_copy_side(c)) return false;
    if (!read_next(c, ';')) return read_trailer(c);
    if (read_char(c, '*') ? !read_value(c) : !read_dest(c)) return false;
    if (!read_char(c, '=')) return false;
  }
}

static const char *const OLD_TEX_OPCODES[] = {
  "tex", "txb", "txl", "txd", "txf", "txf_ms", "txf_ms_fb", "txf_ms_mcs", "txs", "lod", "tg4", "query_levels",
  "texture_samples", "samples_identical", NULL,
};

static bool read_intrinsic_name(Cursor *c) {
  if (peek(c) != '@') return false;
  c->p++;
  if (!is_identifier(peek(c))) return false;
  while (is_identifier(peek(c))) c->p++;
  return true;
}

/* From after the `=` of a definition. */
static bool read_operation(Cursor *c) {
  skip_blanks(c);
  Cursor start = *c;
  switch (peek(c)) {
  case '@':
    return read_intrinsic_name(c) && read_intrinsic(c);
  case '(':
    c->p++;
    return read_identifier(c) && read_char(c, ')') && read_identifier(c) && read_tex(c);
  case '%':
  case '*':
    return read_parallel_copy(c);
  default:
    break;
  }
  if (read_ssa_ref(c) || read_register_ref(c)) {
    *c = start;
    return read_parallel_copy(c);
  }
  if (begins_like_value(c) || !read_identifier(c)) return false;
  size_t length = (size_t)(c->p - start.p);
#define OPERATION_IS(text) (length == sizeof(text) - 1 && memcmp(start.p, text, sizeof(text) - 1) == 0)
  if (OPERATION_IS("load_const")) return read_load_const(c);
  if (OPERATION_IS("undefined") || OPERATION_IS("undef")) return read_trailer(c);
  if (OPERATION_IS("phi")) return read_phi(c);
  if (OPERATION_IS("intrinsic")) return read_identifier(c) && read_intrinsic(c);
  if (OPERATION_IS("deref_var")) return read_deref_var(c);
  if (OPERATION_IS("deref_struct")) return read_deref_struct(c);
  if (OPERATION_IS("deref_array") || OPERATION_IS("deref_array_wildcard") || OPERATION_IS("deref_ptr_as_array"))
    return read_deref_array(c);
  if (OPERATION_IS("deref_cast")) return read_deref_cast(c);
#undef OPERATION_IS
  if (word_is(start.p, length, OLD_TEX_OPCODES)) return read_tex(c);
  return read_alu(c);
}

static bool read_call(Cursor *c) {
  Reader r = { NULL, *c };
  const uint8_t *end;
  if (!is_blank(peek(c)) || !read_blank_free(&r, &end)) return false;
  c->p = end;
  skip_spaces(c);
  if (starts_with(c, "(indirect") && !(read_char(c, '(') && read_keyword(c, "indirect") && read_value(c) &&
                                        read_char(c, ')')))
    return false;
  skip_spaces(c);
  Cursor start = *c;
  if (read_trailer(c)) return true;
  *c = start;
  do {
    start = *c;
    if (read_ssa_ref(c) || read_register_ref(c)) {
      *c = start;
      if (!read_value(c)) return false;
      continue;
    }
    skip_blanks(c);
    if (begins_like_value(c) || begins_annotation(c)) return false;
    if (!read_word(c) || !read_value(c)) return false;
  } while (read_next(c, ','));
  return read_trailer(c);
}

static bool read_goto(Cursor *c) {
  if (!read_block_label(c)) return false;
  skip_spaces(c);
  if (peek(c) == '/' || !read_keyword(c, "if")) return read_trailer(c);
  return read_value(c) && read_keyword(c, "else") && read_block_label(c) && read_trailer(c);
}

static bool read_control(Cursor *c) {
  static const char *const words[] = {
    "flatten", "don't flatten", "divergent always taken", "unroll", "don't unroll", NULL,
  };
  skip_blanks(c);
  if (!starts_with(c, "//")) return true;
  c->p += 2;
  while (peek(c) == ' ') c->p++;
  return !is_blank(peek(c)) && peek(c) != '/' && read_one_of(c, words);
}

static bool read_open_brace(Cursor *c) { return read_char(c, '{') && read_trailer(c); }

/* `b0 b1`, after `preds:` or `succs:`. */
static void read_block_refs(Cursor *c) {
  for (;;) {
    skip_spaces(c);
    if (peek(c) != 'b' || !read_block_label(c)) return;
  }
}

/* The rest of a block line, after its colon. */
static bool read_block(Cursor *c) {
  if (!read_block_label(c) || !read_char(c, ':')) return false;
  while (is_blank(peek(c))) c->p++;
  if (starts_with(c, "//")) {
    Cursor comment = *c;
    c->p += 2;
    while (is_blank(peek(c))) c->p++;
    if (starts_with(c, "preds:")) {
      c->p += 6;
      read_block_refs(c);
      if (read_next(c, ',')) {
        if (!read_text(c, "succs:")) return false;
        read_block_refs(c);
      }
      return read_trailer(c);
    }
    if (starts_with(c, "succs:")) {
      c->p += 6;
      read_block_refs(c);
      return read_trailer(c);
    }
    *c = comment;
  }
  if (starts_with(c, "/*")) {
    Cursor comment = *c;
    c->p += 2;
    while (is_blank(peek(c))) c->p++;
    if (starts_with(c, "preds:") || starts_with(c, "succs:")) return false;
    *c = comment;
  }
  return read_trailer(c);
}

/* A line that is a comment, or the predecessors or successors of a block. */
static LineKind classify_comment(Cursor *c) {
  bool block_comment = peek_at(c, 1) == '*';
  Cursor text = *c;
  c->p += 2;
  while (is_blank(peek(c))) c->p++;
  if (starts_with(c, "preds:") || starts_with(c, "succs:")) {
    c->p += 6;
    read_block_refs(c);
    if (block_comment && !read_text(c, "*/")) return LINE_UNREADABLE;
    return read_trailer(c) ? LINE_CODE : LINE_UNREADABLE;
  }
  if (!block_comment) return LINE_COMMENT;
  /* The line is one block comment, and nothing else. */
  while (c->p + 1 < c->end && !(c->p[0] == '*' && c->p[1] == '/')) c->p++;
  if (c->p + 1 >= c->end) return LINE_UNREADABLE;
  c->p += 2;
  while (is_blank(peek(c))) c->p++;
  if (c->p == c->end) return LINE_COMMENT;
  *c = text;
  return LINE_CODE; /* still to be read: ``name` in a comment, then vec1 32 ssa_0 = ...` */
}

/* What Mesa prints instead of the fields of a stage it does not know. */
static bool is_unhandled_stage(Cursor c) {
  return read_keyword(&c, "Unhandled") && read_keyword(&c, "stage") && read_number(&c) && c.p == c.end;
}

static bool is_header_field(Cursor c) {
  if (is_unhandled_stage(c)) return true;
  if (!is_lower(peek(&c)) && !is_upper(peek(&c)) && peek(&c) != '_') return false;
  while (is_identifier(peek(&c)) || peek(&c) == ' ' || peek(&c) == '-') c.p++;
  return peek(&c) == ':' && c.p[-1] != ' ' && (c.p + 1 == c.end || is_blank(c.p[1]));
}

static LineKind classify(const uint8_t *line, uint32_t length) {
  Cursor c = { line, line + length };
  while (is_blank(peek(&c))) c.p++;
  Cursor start = c;

  /* A comment is one token, whatever it holds. */
  if (starts_with(&c, "//") && classify_comment(&c) == LINE_COMMENT) return LINE_COMMENT;
  if (memchr(line, UNREADABLE_BYTE, length)) return LINE_UNREADABLE;
  c = start;
  if (peek(&c) == '/') {
    if (peek_at(&c, 1) != '/' && peek_at(&c, 1) != '*') return LINE_UNREADABLE;
    LineKind kind = classify_comment(&c);
    if (kind != LINE_CODE || c.p == c.end) return kind;
    skip_blanks(&c);
    start = c;
  }

  switch (peek(&c)) {
  case '}':
    c.p++;
    if (read_keyword(&c, "else")) return read_open_brace(&c) ? LINE_ELSE : LINE_UNREADABLE;
    if (read_keyword(&c, "continue")) return read_open_brace(&c) ? LINE_CONTINUE : LINE_UNREADABLE;
    return read_trailer(&c) ? LINE_CLOSE : LINE_UNREADABLE;
  case '@':
    return read_intrinsic_name(&c) && read_intrinsic(&c) ? LINE_CODE : LINE_UNREADABLE;
  case '*':
    c.p++;
    return read_value(&c) && read_char(&c, '=') && read_parallel_copy(&c) ? LINE_CODE : LINE_UNREADABLE;
  default:
    break;
  }

  if (read_dest(&c)) {
    if (read_char(&c, '=')) return read_operation(&c) ? LINE_CODE : LINE_UNREADABLE;
    return LINE_UNREADABLE;
  }
  c = start;
  bool divergence = read_divergence(&c);
  if (read_keyword(&c, "block")) return read_block(&c) ? LINE_CODE : LINE_UNREADABLE;
  if (read_keyword(&c, "loop")) return read_control(&c) && read_open_brace(&c) ? LINE_CODE : LINE_UNREADABLE;
  if (divergence) return LINE_UNREADABLE;
  if (read_keyword(&c, "if"))
    return read_value(&c) && read_control(&c) && read_open_brace(&c) ? LINE_CODE : LINE_UNREADABLE;
  if (read_keyword(&c, "intrinsic"))
    return read_identifier(&c) && read_intrinsic(&c) ? LINE_CODE : LINE_UNREADABLE;
  if (read_keyword(&c, "call")) return read_call(&c) ? LINE_CODE : LINE_UNREADABLE;
  if (starts_with(&c, "cmat_call_")) {
    while (is_lower(peek(&c)) || is_digit(peek(&c)) || peek(&c) == '_') c.p++;
    return c.p - start.p > 10 && read_call(&c) ? LINE_CODE : LINE_UNREADABLE;
  }
  if (read_keyword(&c, "break") || read_keyword(&c, "continue") || read_keyword(&c, "return") ||
      read_keyword(&c, "halt") || read_keyword(&c, "abort"))
    return read_trailer(&c) ? LINE_LOOSE_CODE : LINE_UNREADABLE;
  if (read_keyword(&c, "goto")) return read_goto(&c) ? LINE_CODE : LINE_UNREADABLE;
  if (starts_with(&c, "error:")) return LINE_ANNOTATION;
  if (read_keyword(&c, "decl_var")) return read_variable_declaration(&c) ? LINE_DECLARATION : LINE_UNREADABLE;
  if (read_keyword(&c, "decl_reg")) return read_register_declaration(&c) ? LINE_DECLARATION : LINE_UNREADABLE;
  if (read_keyword(&c, "decl_function") || read_keyword(&c, "decl_overload")) return read_function_declaration(&c) ? LINE_DECLARATION : LINE_UNREADABLE;
  if (read_keyword(&c, "impl")) return read_impl(&c) ? LINE_DECLARATION : LINE_UNREADABLE;
  if (read_keyword(&c, "preamble")) {
    Reader r = { NULL, c };
    const uint8_t *end;
    if (!read_blank_free(&r, &end)) return LINE_UNREADABLE;
    c.p = end;
    return read_trailer(&c) ? LINE_DECLARATION : LINE_UNREADABLE;
  }
  if (starts_with(&c, "struct ")) {
    c.p += 7;
    Cursor header = start;
    if (read_impl(&c)) return LINE_STRUCT;
    return is_header_field(header) ? LINE_HEADER_FIELD : LINE_UNREADABLE;
  }
  c = start;
  if (start.p == line && starts_with(&c, "shader:") && (c.p + 7 == c.end || is_blank(c.p[7]))) return LINE_SHADER;
  if (start.p == line && is_header_field(start)) return LINE_HEADER_FIELD;
  return LINE_UNREADABLE;
}

/* The lexer's lines */

static bool at_line_end(TSLexer *lexer) { return lexer->lookahead == '\n' || lexer->eof(lexer); }

/* Reads the rest of the line into the scanner's buffer, behind `length` bytes of it already there, without the carriage returns before its end, and
 * marks the end of the token there when asked to. */
static uint32_t read_line_after(Scanner *scanner, TSLexer *lexer, uint32_t length, bool mark) {
  uint32_t kept = length;
  bool marked = false;
  while (!at_line_end(lexer)) {
    int32_t character = lexer->lookahead;
    if (length == scanner->capacity) {
      scanner->capacity = scanner->capacity ? scanner->capacity * 2 : 256;
      scanner->line = ts_realloc(scanner->line, scanner->capacity);
    }
    if (character == '\r') {
      if (mark && !marked) {
        lexer->mark_end(lexer);
        marked = true;
      }
      scanner->line[length++] = UNREADABLE_BYTE;
    } else {
      marked = false;
      scanner->line[length++] = character <= 0     ? UNREADABLE_BYTE
                                : character > 0x7f ? NON_ASCII
                                                   : (uint8_t)character;
      kept = length;
    }
    lexer->advance(lexer, false);
  }
  if (mark && !marked) lexer->mark_end(lexer);
  return kept;
}

static uint32_t read_line(Scanner *scanner, TSLexer *lexer, bool mark) {
  return read_line_after(scanner, lexer, 0, mark);
}

/* Whether the lines from the next one on hold more code of this dump before another dump begins. */
static bool more_code_follows(Scanner *scanner, TSLexer *lexer, bool in_body, bool in_header) {
  for (int i = 0; i < MAX_LOOKAHEAD_LINES; i++) {
    if (lexer->eof(lexer)) return false;
    lexer->advance(lexer, false);
    uint32_t length = read_line(scanner, lexer, false);
    switch (classify(scanner->line, length)) {
    case LINE_SHADER: return false;
    case LINE_DECLARATION:
    case LINE_CODE: return true;
    case LINE_CLOSE:
    case LINE_ELSE:
    case LINE_CONTINUE:
      if (in_body) return true;
      break;
    case LINE_HEADER_FIELD:
      /* Log lines look like fields too, so only one close by counts. */
      if (in_header && i < 2) return true;
      break;
    default: break;
    }
  }
  return false;
}

static bool is_code_kind(LineKind kind) { return kind == LINE_CODE || kind == LINE_DECLARATION; }

static bool accept(TSLexer *lexer, enum TokenType type) {
  lexer->result_symbol = (TSSymbol)type;
  return true;
}

/* Line ends, with the blank lines after them. */
static bool scan_newline(TSLexer *lexer) {
  while (is_blank(lexer->lookahead) || lexer->lookahead == '\r') lexer->advance(lexer, true);
  if (lexer->eof(lexer)) {
    lexer->mark_end(lexer);
    return accept(lexer, NEWLINE);
  }
  if (lexer->lookahead != '\n') return false;
  while (lexer->lookahead == '\n') {
    lexer->advance(lexer, false);
    lexer->mark_end(lexer);
    while (is_blank(lexer->lookahead) || lexer->lookahead == '\r') lexer->advance(lexer, false);
  }
  return accept(lexer, NEWLINE);
}

/* Reads the rest of the line as one token. */
static bool scan_rest_of_line(Scanner *scanner, TSLexer *lexer, enum TokenType type) {
  read_line(scanner, lexer, true);
  return accept(lexer, type);
}

static bool scan_text(TSLexer *lexer, const char *text) {
  for (; *text; text++) {
    if (lexer->lookahead != *text) return false;
    lexer->advance(lexer, false);
  }
  return true;
}

/* `}`, `} else {`, `} continue {` where the parser waits for them; any other such line is unreadable. */
static bool scan_closing_line(Scanner *scanner, TSLexer *lexer, const bool *valid) {
  enum TokenType type = CLOSE;
  const char *keyword = NULL;
  lexer->advance(lexer, false);
  lexer->mark_end(lexer);
  while (is_blank(lexer->lookahead)) lexer->advance(lexer, false);
  if (lexer->lookahead == 'e') keyword = "else", type = ELSE;
  if (lexer->lookahead == 'c') keyword = "continue", type = CONTINUE;
  if (keyword) {
    bool opens = scan_text(lexer, keyword);
    while (is_blank(lexer->lookahead)) lexer->advance(lexer, false);
    opens = opens && lexer->lookahead == '{';
    if (opens) {
      lexer->advance(lexer, false);
      lexer->mark_end(lexer);
    } else {
      /* A trailing `error: ...` begins as `else` does. */
      type = ERROR_SENTINEL;
    }
  }
  bool readable = type != ERROR_SENTINEL && valid[type];
  if (readable) {
    uint32_t length = read_line(scanner, lexer, false);
    Cursor c = { scanner->line, scanner->line + length };
    readable = !(length && memchr(scanner->line, UNREADABLE_BYTE, length)) && read_trailer(&c);
  }
  if (readable) return accept(lexer, type);
  return scan_rest_of_line(scanner, lexer, valid[STRAY_BRACE] ? STRAY_BRACE : UNREADABLE_LINE);
}

/* The key of a header field, where one may stand: `name:`, `ray queries:`. */
static bool scan_header_key(Scanner *scanner, TSLexer *lexer, uint32_t *length) {
  *length = 0;
  while (is_identifier(lexer->lookahead) || lexer->lookahead == ' ' || lexer->lookahead == '-') {
    if (*length == scanner->capacity) {
      scanner->capacity = scanner->capacity ? scanner->capacity * 2 : 256;
      scanner->line = ts_realloc(scanner->line, scanner->capacity);
    }
    scanner->line[(*length)++] = (uint8_t)lexer->lookahead;
    lexer->advance(lexer, false);
  }
  return *length && lexer->lookahead == ':' && scanner->line[*length - 1] != ' ';
}

/* `con block b1:`, `div loop {`: lines that end the block before them, though they begin as a definition does. */
static bool is_divergent_control_flow(const uint8_t *line, uint32_t length) {
  Cursor c = { line, line + length };
  return read_divergence(&c) && (read_keyword(&c, "block") || read_keyword(&c, "loop"));
}

/* What an unreadable line is to the structure around it: one that opens a brace still opens a body, so that an
 * `if` does not fall apart while its condition is typed. */
static enum TokenType unreadable_type(const uint8_t *line, uint32_t length, const bool *valid) {
  Cursor c = { line, line + length };
  while (is_blank(peek(&c))) c.p++;
  if (peek(&c) == '}') return valid[STRAY_BRACE] ? STRAY_BRACE : UNREADABLE_LINE;
  while (c.end > c.p && is_blank(c.end[-1])) c.end--;
  if (c.p == c.end || c.end[-1] != '{') return UNREADABLE_LINE;
  if (valid[UNREADABLE_IMPL]) return UNREADABLE_IMPL;
  read_divergence(&c);
  if (valid[UNREADABLE_LOOP] && read_keyword(&c, "loop")) return UNREADABLE_LOOP;
  return valid[UNREADABLE_IF] ? UNREADABLE_IF : UNREADABLE_LINE;
}

static bool word_equals(const uint8_t *word, uint32_t length, const char *text) {
  return length == strlen(text) && memcmp(word, text, length) == 0;
}

/*
 * At the start of a line: true with a token, or false to leave the line to the rules.
 *
 * A token ends at the last `mark_end`, and cannot be made shorter when more of the line is known. Where a
 * dump may end, the answer therefore is first given as a token without width: `_dump_end`, or
 * `_dump_continues` before a line that is no code but has code of the same dump after it.
 */
static bool scan_line_start(Scanner *scanner, TSLexer *lexer, const bool *valid, bool indented) {
  bool in_struct = valid[STRUCT_MEMBER_TYPE];
  bool in_body = valid[CLOSE] && !in_struct;
  bool at_dump_level = valid[DUMP_CONTINUES] && !in_body;

  lexer->mark_end(lexer);
  if (lexer->eof(lexer)) return valid[DUMP_END] && accept(lexer, DUMP_END);

  indented = indented || is_blank(lexer->lookahead);
  while (is_blank(lexer->lookahead)) lexer->advance(lexer, true);
  if (lexer->eof(lexer)) return valid[DUMP_END] && accept(lexer, DUMP_END);

  if (lexer->lookahead == '}' && (in_body || in_struct)) return scan_closing_line(scanner, lexer, valid);

  if (in_struct && indented) {
    while (!at_line_end(lexer) && !is_blank(lexer->lookahead) && lexer->lookahead != '\r')
      lexer->advance(lexer, false);
    lexer->mark_end(lexer);
    uint32_t length = read_line(scanner, lexer, false);
    Cursor c = { scanner->line, scanner->line + length };
    if (length && !memchr(c.p, UNREADABLE_BYTE, length) && read_struct_member_name(&c))
      return accept(lexer, STRUCT_MEMBER_TYPE);
    lexer->mark_end(lexer);
    return accept(lexer, UNREADABLE_LINE);
  }

  uint32_t length = 0;
  if (!indented && (valid[DUMP_END] || valid[SHADER_KEY]) &&
             (valid[HEADER_KEY] || lexer->lookahead == 's')) {
    bool is_key = scan_header_key(scanner, lexer, &length);
    if (is_key && word_equals(scanner->line, length, "shader")) {
      if (valid[SHADER_KEY]) {
        lexer->mark_end(lexer);
        return accept(lexer, SHADER_KEY);
      }
      return accept(lexer, DUMP_END);
    }
    Cursor read = { scanner->line, scanner->line + length };
    if (valid[HEADER_KEY] && !is_key && is_unhandled_stage(read) &&
        (at_line_end(lexer) || lexer->lookahead == '\r')) {
      lexer->mark_end(lexer);
      return accept(lexer, HEADER_KEY);
    }
    Cursor key = { scanner->line, scanner->line + length };
    bool is_code = read_divergence(&key) || read_keyword(&key, "block") || word_equals(key.p, length, "error");
    if (is_key && valid[HEADER_KEY] && !is_code) {
      lexer->mark_end(lexer);
      length = read_line_after(scanner, lexer, length, false);
      if (is_code_kind(classify(scanner->line, length))) return false;
      return accept(lexer, HEADER_KEY);
    }
  }
  /* Where the answer may be a token without width, nothing is marked until the line has been read. */
  bool decides_first = valid[DUMP_CONTINUES] && !in_struct && (at_dump_level || !indented);
  bool may_diverge = lexer->lookahead == 'c' || lexer->lookahead == 'd';
  bool marks = !decides_first && !may_diverge;
  length = read_line_after(scanner, lexer, length, marks);
  LineKind kind = classify(scanner->line, length);

  if (valid[TEXT_LINE]) {
    if (kind == LINE_DECLARATION || kind == LINE_CODE) return false;
    if (!marks) lexer->mark_end(lexer);
    return accept(lexer, kind == LINE_COMMENT ? COMMENT_LINE : TEXT_LINE);
  }
  switch (kind) {
  case LINE_CODE:
    return valid[DIVERGENT_CONTROL_FLOW] && is_divergent_control_flow(scanner->line, length) && !marks &&
           accept(lexer, DIVERGENT_CONTROL_FLOW);
  case LINE_DECLARATION:
    return false;
  case LINE_STRUCT:
    if (valid[HEADER_KEY]) return false;
    break;
  case LINE_LOOSE_CODE:
    if (!at_dump_level) return false;
    break;
  default:
    break;
  }
  if (decides_first) {
    bool more = more_code_follows(scanner, lexer, in_body, valid[HEADER_KEY] && at_dump_level);
    if (more && kind == LINE_LOOSE_CODE) return false;
    return accept(lexer, more ? DUMP_CONTINUES : DUMP_END);
  }
  if (kind == LINE_ANNOTATION) return false;
  if (!marks) lexer->mark_end(lexer);
  if (kind == LINE_COMMENT) return accept(lexer, COMMENT_LINE);
  return accept(lexer, unreadable_type(scanner->line, length, valid));
}

static bool scan_deref_type(TSLexer *lexer, const bool *valid) {
  Reader r = { lexer, { NULL, NULL } };
  const uint8_t *end;
  if (valid[PRECISION]) {
    uint8_t word[MAX_WORD];
    size_t length = 0;
    while (is_lower(lexer->lookahead)) {
      if (length < MAX_WORD) word[length] = (uint8_t)lexer->lookahead;
      length++;
      lexer->advance(lexer, false);
    }
    if (is_blank(lexer->lookahead) && length < MAX_WORD && word_is(word, length, PRECISIONS)) {
      lexer->mark_end(lexer);
      return accept(lexer, PRECISION);
    }
  }
  return read_deref_type(&r, &end) && accept(lexer, DEREF_TYPE);
}

/* Names and words in the middle of a line. */
static bool scan_name(TSLexer *lexer, const bool *valid) {
  Reader r = { lexer, { NULL, NULL } };
  const uint8_t *end;
  if (valid[DEREF_MODES]) {
    if (!is_blank(lexer->lookahead)) {
      while (is_lower(lexer->lookahead) || is_digit(lexer->lookahead) || lexer->lookahead == '_' ||
             lexer->lookahead == '|')
        lexer->advance(lexer, false);
      lexer->mark_end(lexer);
      return accept(lexer, DEREF_MODES);
    }
    reader_skip_blanks(&r);
    return scan_deref_type(lexer, valid);
  }
  if (valid[DEREF_TYPE]) {
    reader_skip_blanks(&r);
    return scan_deref_type(lexer, valid);
  }
  if (valid[TYPE_NAME] || valid[INTERPOLATION_MODE]) {
    enum TokenType type;
    if (!read_declaration_word(&r, !valid[INTERPOLATION_MODE], valid[ACCESS_QUALIFIER], valid[IMAGE_FORMAT], &type,
                               &end))
      return false;
    if (type == PRECISION && !valid[PRECISION]) type = TYPE_NAME;
    return accept(lexer, type);
  }
  if (valid[VARIABLE_NAME]) return read_name(&r, ends_variable_name, &end) && accept(lexer, VARIABLE_NAME);
  if (valid[DEREF_NAME]) return read_name(&r, ends_deref_name, &end) && accept(lexer, DEREF_NAME);
  if (valid[FUNCTION_NAME_BEFORE_PARAMETERS])
    return read_name(&r, ends_function_name, &end) && accept(lexer, FUNCTION_NAME_BEFORE_PARAMETERS);
  if (valid[FUNCTION_NAME_BEFORE_BRACE])
    return read_name(&r, ends_impl_name, &end) && accept(lexer, FUNCTION_NAME_BEFORE_BRACE);
  if (valid[FUNCTION_NAME_WORD]) return read_blank_free(&r, &end) && accept(lexer, FUNCTION_NAME_WORD);
  if (valid[CAST_TYPE]) return read_cast_type(&r, &end) && accept(lexer, CAST_TYPE);
  return false;
}

bool tree_sitter_nir_external_scanner_scan(void *payload, TSLexer *lexer, const bool *valid) {
  Scanner *scanner = payload;
  bool recovering = valid[ERROR_SENTINEL];
  bool line_start = valid[TEXT_LINE] || valid[UNREADABLE_LINE] || valid[DUMP_CONTINUES];

  if (recovering) {
    if (scan_newline(lexer)) return true;
    return scan_rest_of_line(scanner, lexer, UNREADABLE_LINE);
  }
  if (line_start) {
    /* Blank lines are part of the line end before them, but for those that a file begins with. */
    bool indented = false;
    if (valid[NEWLINE] && !lexer->eof(lexer)) {
      indented = is_blank(lexer->lookahead);
      if (scan_newline(lexer)) return true;
    }
    return scan_line_start(scanner, lexer, valid, indented);
  }
  if (valid[NEWLINE] && !valid[DEREF_MODES] && scan_newline(lexer)) return true;
  if (valid[HEADER_VALUE]) {
    while (is_blank(lexer->lookahead)) lexer->advance(lexer, true);
    if (at_line_end(lexer)) return false;
    return scan_rest_of_line(scanner, lexer, HEADER_VALUE);
  }
  return scan_name(lexer, valid);
}

void *tree_sitter_nir_external_scanner_create(void) { return ts_calloc(1, sizeof(Scanner)); }
void tree_sitter_nir_external_scanner_destroy(void *payload) {
  Scanner *scanner = payload;
  ts_free(scanner->line);
  ts_free(scanner);
}
unsigned tree_sitter_nir_external_scanner_serialize(void *payload, char *buffer) {
  (void)payload;
  (void)buffer;
  return 0;
}
void tree_sitter_nir_external_scanner_deserialize(void *payload, const char *buffer, unsigned length) {
  (void)payload;
  (void)buffer;
  (void)length;
}
