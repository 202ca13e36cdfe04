/**
 * Tree-sitter grammar of NIR text, the three dialects of Mesa's printer in one.
 *
 * A line is the unit of recovery. `src/scanner.c` looks at every line before it is parsed and offers
 * a line that no rule below would take as one `unreadable_line` (inside a dump) or `text_line`
 * (between dumps), so the rules only ever see lines they can parse, and unbalanced braces are the only
 * thing they must bear: every construct with a closing brace also has a form without it.
 */

const sep1 = (rule, separator) => seq(rule, repeat(seq(separator, rule)));
const sep = (rule, separator) => optional(sep1(rule, separator));

const NUMBER_FORM = '[-+]?(0x *[0-9a-fA-F]+|[0-9]+(\\.[0-9]*)?(e[-+]?[0-9]+)?|inf|nan)|true|false';

const WORD = '[^ \\t\\r\\n\\f\\v,()=/%;{}]';
const OFFSET = '\\[[0-9]+ \\+ (ssa_|r)[0-9]+\\]';

// Texture opcodes of the years before a destination type preceded them.
const TEX_OPCODES = [
  'tex', 'txb', 'txl', 'txd', 'txf', 'txf_ms', 'txf_ms_fb', 'txf_ms_mcs', 'txs', 'lod', 'tg4', 'query_levels',
  'texture_samples', 'samples_identical',
];

module.exports = grammar({
  name: 'nir',

  externals: $ => [
    $._newline,
    $._dump_end,
    $._dump_continues,
    $.text_line,
    $._comment_line,
    $.unreadable_line,
    $._unreadable_if,
    $._unreadable_loop,
    $._unreadable_impl,
    $.stray_brace,
    $._shader_key,
    $._header_key,
    $.header_value,
    $._close,
    $._else,
    $._continue,
    $.qualifier,
    $.variable_mode,
    $.interpolation_mode,
    $.access_qualifier,
    $.image_format,
    $.precision,
    $.type_name,
    $.variable_name,
    $._function_name_before_parameters,
    $._function_name_before_brace,
    $._function_name_word,
    $._deref_name,
    $._deref_modes,
    $._deref_type,
    $._cast_type,
    $._struct_member_type,
    $._divergent_control_flow,
    $._error_sentinel,
  ],

  extras: $ => [/[ \t]/, $.comment],

  inline: $ => [$._value, $._swizzle_or_name, $._name_suffix, $._swizzle, $._value_suffix, $._code_line],

  rules: {
    source_file: $ => seq(
      optional($._newline),
      repeat(choice(
        $.dump,
        seq(choice($.text_line, alias($._comment_line, $.comment)), $._newline),
      )),
    ),

    // A dump without its `shader:` line (cut off, or broken) still is one, and so are loose instructions.
    dump: $ => seq(
      choice(
        seq(
          alias($._shader_field, $.header_field), $._newline,
          repeat(choice(
            seq(choice($.header_field, $.struct_declaration), $._newline),
            alias($._open_struct, $.struct_declaration),
            $._loose_line,
          )),
          optional(seq(choice($._declaration_line, $._code_line), repeat($._dump_line))),
        ),
        seq(choice($._declaration_line, $._code_line), repeat($._dump_line)),
      ),
      $._dump_end,
    ),

    _dump_line: $ => choice($._declaration_line, $._code_line, $._loose_line),

    // Lines that say nothing of where they are. The scanner puts `_dump_continues` before one that could as well be
    // text after the dump.
    _loose_line: $ => seq(
      optional($._dump_continues),
      choice(alias($._comment_line, $.comment), $.annotation, $.unreadable_line, $.stray_brace),
      $._newline,
    ),

    _declaration_line: $ => choice(
      seq(choice(
        $.variable_declaration,
        $.register_declaration,
        $.function_declaration,
        $.function_impl,
        $.preamble,
      ), $._newline),
      alias($._open_impl, $.function_impl),
      seq($._dump_continues, alias($._broken_impl, $.function_impl), $._newline),
      seq($._dump_continues, alias($._open_broken_impl, $.function_impl)),
    ),

    // Header

    _shader_field: $ => seq(
      field('key', alias($._shader_key, $.header_key)), ':', optional(field('value', $.header_value)),
    ),
    // Without a colon: `Unhandled stage 6`, which Mesa prints for stages that have no fields of their own.
    header_field: $ => seq(
      field('key', alias($._header_key, $.header_key)), optional(seq(':', optional(field('value', $.header_value)))),
    ),

    struct_declaration: $ => prec(1, seq($._struct_head, alias($._close, '}'))),
    _open_struct: $ => prec(-1, $._struct_head),
    _struct_head: $ => prec.right(seq(
      'struct', field('name', alias($._function_name_before_brace, $.type_name)), '{', $._newline,
      repeat(seq(choice($.struct_member, alias($._comment_line, $.comment), $.unreadable_line), $._newline)),
    )),
    struct_member: $ => seq(
      field('type', alias($._struct_member_type, $.type_name)),
      field('name', alias(/[^ \t\r\n;]+/, $.field_name)),
      ';',
    ),

    // Declarations

    variable_declaration: $ => seq(
      'decl_var',
      repeat(field('qualifier', $.qualifier)),
      optional(field('mode', $.variable_mode)),
      field('interpolation', $.interpolation_mode),
      repeat(field('access', $.access_qualifier)),
      optional(field('format', $.image_format)),
      optional(field('precision', $.precision)),
      field('type', $.type_name),
      optional(field('name', $.variable_name)),
      optional($._variable_location),
      optional(field('compact', $.compact)),
      optional(seq('=', field('initializer', $.initializer))),
      optional($._trailer),
    ),

    _variable_location: $ => seq(
      '(',
      field('location', $.location),
      optional(field('components', $.swizzle)),
      optional(seq(',', field('driver_location', $.number), optional(seq(',', field('binding', $.number))))),
      ')',
    ),
    location: _ => /[A-Za-z0-9_~-]+/,
    compact: _ => 'compact',
    initializer: _ => token(choice(/\{[^\r\n]*\}/, 'null', /&[^ \t\r\n]+/)),

    register_declaration: $ => seq(
      'decl_reg',
      field('type', $.value_type),
      optional(field('packed', alias('(packed)', $.attribute))),
      optional(field('divergence', $.divergence)),
      field('name', $.register_ref),
      optional(seq('[', field('array_size', $.number), ']')),
      optional($._trailer),
    ),

    function_declaration: $ => seq(
      choice('decl_function', 'decl_overload'),
      field('name', alias($._function_name_before_parameters, $.function_name)),
      optional(seq(
        '(',
        choice(
          field('count', $.parameter_count),
          sep(field('parameter', $.parameter), ','),
        ),
        ')',
        repeat(field('attribute', $.attribute)),
      )),
      optional($._trailer),
    ),
    parameter_count: $ => seq(alias($.value_type, $.number), 'params'),
    parameter: $ => seq(
      field('type', $.value_type),
      optional(field('name', alias($._word, $.parameter_name))),
    ),
    attribute: _ => /\([a-z0-9_ -]+\)/,

    function_impl: $ => prec(1, seq($._impl_head, alias($._close, '}'), optional($._trailer))),
    _open_impl: $ => prec(-1, $._impl_head),
    _impl_head: $ => prec.right(seq(
      'impl',
      field('name', alias($._function_name_before_brace, $.function_name)),
      '{',
      optional($._trailer),
      $._newline,
      optional(field('body', $.body)),
    )),
    _broken_impl: $ => prec(1, seq($._broken_impl_head, alias($._close, '}'), optional($._trailer))),
    _open_broken_impl: $ => prec(-1, $._broken_impl_head),
    _broken_impl_head: $ => prec.right(seq(
      alias($._unreadable_impl, $.unreadable_line),
      $._newline,
      optional(field('body', $.body)),
    )),
    preamble: $ => seq('preamble', field('name', alias($._function_name_word, $.function_name)), optional($._trailer)),

    // Control flow

    body: $ => prec.right(repeat1(choice(
      seq(choice($.variable_declaration, $.register_declaration, $.preamble), $._newline),
      $._code_line,
      $._loose_line,
    ))),

    _code_line: $ => choice(
      $.block,
      seq(choice($._instruction, $.if_statement, $.loop_statement, $.predecessors, $.successors), $._newline),
      alias($._open_if, $.if_statement),
      alias($._open_loop, $.loop_statement),
    ),

    block: $ => prec.right(seq(
      optional($._control_flow_divergence),
      'block',
      field('label', $.block_label),
      ':',
      optional(choice(
        seq(
          field('predecessors', alias($._predecessors_comment, $.predecessors)),
          optional(seq(',', field('successors', alias($._successors_list, $.successors)))),
        ),
        field('successors', alias($._successors_comment, $.successors)),
      )),
      optional($._trailer),
      $._newline,
      repeat(choice(
        seq(choice(
          $._instruction,
          field('predecessors', $.predecessors),
          field('successors', $.successors),
        ), $._newline),
        $._loose_line,
      )),
    )),

    predecessors: $ => seq(
      choice(
        seq($._preds_line_comment, repeat($._block_ref)),
        seq($._preds_block_comment, repeat($._block_ref), '*/'),
      ),
      optional($._trailer),
    ),
    successors: $ => seq(
      choice(
        seq($._succs_line_comment, repeat($._block_ref)),
        seq($._succs_block_comment, repeat($._block_ref), '*/'),
      ),
      optional($._trailer),
    ),
    _predecessors_comment: $ => seq($._preds_line_comment, repeat($._block_ref)),
    _successors_comment: $ => seq($._succs_line_comment, repeat($._block_ref)),
    _successors_list: $ => seq('succs:', repeat($._block_ref)),
    _preds_line_comment: _ => token(prec(2, /\/\/[ \t]*preds:/)),
    _succs_line_comment: _ => token(prec(2, /\/\/[ \t]*succs:/)),
    _preds_block_comment: _ => token(prec(2, /\/\*[ \t]*preds:/)),
    _succs_block_comment: _ => token(prec(2, /\/\*[ \t]*succs:/)),
    _block_ref: $ => alias($.block_label, $.block_ref),
    block_label: _ => token(prec(1, /(b|block_)[0-9]+/)),

    // The scanner tells `con block` from `con 32 %0`: the first ends the block before it.
    _control_flow_divergence: $ => seq($._divergent_control_flow, field('divergence', $.divergence)),

    if_statement: $ => prec(1, seq($._if_head, alias($._close, '}'), optional($._trailer))),
    _open_if: $ => prec(-1, $._if_head),
    _if_head: $ => prec.right(seq(
      choice(
        seq(
          'if',
          field('condition', $.source),
          optional(field('control', $.control)),
          '{',
          optional($._trailer),
        ),
        alias($._unreadable_if, $.unreadable_line),
      ),
      $._newline,
      optional(field('consequence', $.body)),
      optional(seq(alias($._else, '} else {'), optional($._trailer), $._newline, optional(field('alternative', $.body)))),
    )),

    loop_statement: $ => prec(1, seq($._loop_head, alias($._close, '}'), optional($._trailer))),
    _open_loop: $ => prec(-1, $._loop_head),
    _loop_head: $ => prec.right(seq(
      choice(
        seq(
          optional($._control_flow_divergence),
          'loop',
          optional(field('control', $.control)),
          '{',
          optional($._trailer),
        ),
        alias($._unreadable_loop, $.unreadable_line),
      ),
      $._newline,
      optional(field('body', $.body)),
      optional(seq(alias($._continue, '} continue {'), optional($._trailer), $._newline, optional(field('continue', $.body)))),
    )),

    control: _ => token(prec(3, /\/\/ *(flatten|don't flatten|divergent always taken|unroll|don't unroll)/)),

    // Instructions

    _instruction: $ => seq(
      choice(
        $.alu_instruction,
        $.load_const_instruction,
        $.undef_instruction,
        $.intrinsic_instruction,
        $.tex_instruction,
        $.deref_var_instruction,
        $.deref_struct_instruction,
        $.deref_array_instruction,
        $.deref_cast_instruction,
        $.phi_instruction,
        $.jump_instruction,
        $.call_instruction,
        $.parallel_copy_instruction,
      ),
    ),

    // What may follow anything on its line.
    _trailer: $ => prec.right(choice(
      seq(field('pass_flags', $.pass_flags), repeat(field('comment', $.comment)), optional($.annotation)),
      seq(repeat1(field('comment', $.comment)), optional($.annotation)),
      $.annotation,
    )),
    pass_flags: _ => token(prec(1, /\(pass_flags: *0x[0-9a-f]+\)/)),

    alu_instruction: $ => seq(
      $._dest, '=',
      field('opcode', $.opcode),
      repeat(choice(field('flag', $.alu_flag), ',')),
      sep1(field('src', $.alu_source), ','),
      optional($._trailer),
    ),
    opcode: $ => $._identifier,
    alu_flag: $ => choice('!', token.immediate(/\.[a-z_]+/), $._identifier),

    alu_source: $ => choice(
      $._value_suffix,
      seq(field('modifier', alias('-', $.modifier)), $._value_suffix),
      seq(
        optional(field('modifier', alias('-', $.modifier))),
        field('modifier', alias('abs', $.modifier)), '(', $._value_suffix, ')',
      ),
    ),

    load_const_instruction: $ => seq(
      $._dest, '=', 'load_const',
      '(',
      field('value', $.constant),
      repeat(choice(
        seq(',', field('value', $.constant)),
        seq('=', field('interpretation', $.constant)),
      )),
      ')',
      repeat(seq('=', '(', sep1(field('interpretation', $.constant), ','), ')')),
      optional($._trailer),
    ),
    constant: _ => token(new RegExp(NUMBER_FORM)),

    undef_instruction: $ => seq($._dest, '=', choice('undefined', 'undef'), optional($._trailer)),

    intrinsic_instruction: $ => seq(
      optional(seq($._dest, '=')),
      choice(
        field('name', alias(/@[A-Za-z0-9_]+/, $.intrinsic_name)),
        seq('intrinsic', field('name', alias($._identifier, $.intrinsic_name))),
      ),
      repeat($._arguments),
      optional($._trailer),
    ),
    _arguments: $ => seq(
      '(',
      sep(choice(
        field('src', $.source),
        field('index', $.index),
        field('index', $.io_semantics),
        field('index', $.xfb),
      ), ','),
      ')',
    ),
    index: $ => choice(
      field('value', alias(choice($._word, $._variable_path), $.index_value)),
      seq(
        field('name', alias($._word, $.index_name)), '=',
        optional(field('value', alias(choice($._word, $._swizzle_expression), $.index_value))),
      ),
    ),
    io_semantics: $ => seq('io', repeat1(choice(
      $._io_field,
      field('flag', alias($._word, $.io_flag)),
      $.gs_streams,
    ))),
    _io_field: $ => choice(
      seq('location', '=', field('location', alias($._word, $.index_value))),
      seq('slots', '=', field('slots', alias($._word, $.index_value))),
      field('field', $.io_field),
    ),
    io_field: $ => seq(
      field('name', alias($._word, $.index_name)), '=', field('value', alias($._word, $.index_value)),
    ),
    gs_streams: $ => seq('gs_streams', '(', repeat($.io_field), ')'),
    xfb: $ => seq(
      field('name', $.xfb_name), '(',
      sep(field('output', $.xfb_output), ','),
      ')',
    ),
    // Before `_word`, which matches as much.
    xfb_name: _ => /xfb[0-9]*/,
    xfb_output: $ => repeat1($.io_field),

    _swizzle_expression: _ => token(/\(\(id & -?[0-9]+\) \| -?[0-9]+\) \^ -?[0-9]+/),
    _word: _ => /[^ \t\r\n\f\v,()=\/%;{}]+/,
    // `table[2 + ssa_3].color[1 + ssa_4]`, until 2018; a path without an offset is a word.
    _variable_path: _ => new RegExp(`${WORD}+${OFFSET}(${WORD}*${OFFSET})*${WORD}*`),

    tex_instruction: $ => seq(
      $._dest, '=',
      choice(
        seq('(', field('dest_type', alias($._identifier, $.alu_type)), ')', field('opcode', $.opcode)),
        field('opcode', alias(choice(...TEX_OPCODES), $.opcode)),
      ),
      repeat(choice(
        ',',
        field('src', $.tex_source),
        field('index', $.tex_index),
        field('flag', $.tex_flag),
        field('offsets', $.tex_offsets),
      )),
      optional($._trailer),
    ),
    tex_source: $ => seq($._value_suffix, field('kind', $.tex_kind)),
    tex_index: $ => seq(field('value', $.number), field('kind', $.tex_kind)),
    tex_flag: $ => prec.right(choice(
      $._tex_words, $.tex_kind, seq($._tex_words, $.tex_kind), seq($._variable_path, $.tex_kind),
    )),
    _tex_words: _ => /[A-Za-z_][A-Za-z0-9_.=\[\]-]*( [A-Za-z0-9_][A-Za-z0-9_.=\[\]-]*)*|[0-9]D(-[A-Za-z0-9]+)*/,
    tex_offsets: $ => seq('{', sep1(seq('(', $.number, ',', $.number, ')'), ','), '}', field('kind', $.tex_kind)),
    tex_kind: _ => /\([a-z0-9_-]+\)/,

    deref_var_instruction: $ => seq(
      $._dest, '=', field('opcode', alias('deref_var', $.opcode)), '&',
      optional(field('variable', alias($._deref_name, $.variable_name))),
      $._deref_modes_and_type,
      optional($._trailer),
    ),
    deref_struct_instruction: $ => seq(
      $._dest, '=', field('opcode', alias('deref_struct', $.opcode)), '&',
      field('parent', $.source), '->', optional(field('member', alias($._deref_name, $.field_name))),
      $._deref_modes_and_type,
      optional($._trailer),
    ),
    deref_array_instruction: $ => seq(
      $._dest, '=',
      field('opcode', alias(choice('deref_array', 'deref_array_wildcard', 'deref_ptr_as_array'), $.opcode)),
      '&', '(', '*', field('parent', $.source), ')',
      '[',
      field('element', choice($.number, $.source, alias('*', $.wildcard))),
      ']',
      $._deref_modes_and_type,
      optional(field('in_bounds', alias('(in bounds)', $.attribute))),
      optional($._trailer),
    ),
    deref_cast_instruction: $ => seq(
      $._dest, '=', field('opcode', alias('deref_cast', $.opcode)),
      '(', optional(field('cast_type', alias($._cast_type, $.type_name))), '*', ')',
      field('parent', $.source),
      $._deref_modes_and_type,
      optional(seq('(', sep(field('index', $.index), ','), ')')),
      optional($._trailer),
    ),
    _deref_modes_and_type: $ => seq(
      '(',
      optional(field('modes', alias($._deref_modes, $.variable_mode))),
      optional(field('precision', $.precision)),
      field('type', alias($._deref_type, $.type_name)),
      ')',
    ),

    phi_instruction: $ => seq(
      $._dest, '=', 'phi',
      sep(field('src', $.phi_source), ','),
      optional($._trailer),
    ),
    phi_source: $ => seq(field('block', $._block_ref), ':', $._value_suffix),

    jump_instruction: $ => seq(
      choice(
        field('kind', alias(choice('break', 'continue', 'return', 'halt', 'abort'), $.jump_kind)),
        seq(field('kind', alias('goto', $.jump_kind)), field('target', $._block_ref)),
        seq(
          field('kind', alias('goto', $.jump_kind)), field('target', $._block_ref),
          'if', field('condition', $.source), 'else', field('else_target', $._block_ref),
        ),
      ),
      optional($._trailer),
    ),

    call_instruction: $ => seq(
      field('opcode', alias(choice('call', /cmat_call_[a-z0-9_]+/), $.opcode)),
      field('callee', alias($._function_name_word, $.function_name)),
      optional(seq('(', 'indirect', field('indirect', $.source), ')')),
      sep(field('argument', $.argument), ','),
      optional($._trailer),
    ),
    argument: $ => seq(optional(field('name', alias($._word, $.parameter_name))), $._value_suffix),

    parallel_copy_instruction: $ => seq(
      sep1(field('copy', $.copy), ';'),
      optional($._trailer),
    ),
    copy: $ => seq(
      choice($._dest, field('dest', $.register_deref)),
      '=',
      field('src', choice($.source, $.register_deref)),
    ),
    register_deref: $ => seq('*', $.source),

    // Values

    _dest: $ => field('dest', choice($.ssa_def, $.register_def)),

    ssa_def: $ => seq(
      optional(field('divergence', $.divergence)),
      field('type', $.value_type),
      optional(field('divergence', $.divergence)),
      field('name', $.ssa_ref),
      optional(field('debug_name', alias(choice($._debug_name, $.swizzle), $.value_name))),
    ),
    register_def: $ => seq(
      optional(field('divergence', $.divergence)),
      $._register,
      optional(field('write_mask', $.swizzle)),
    ),
    _register: $ => seq(
      field('name', $.register_ref),
      optional(seq('[', field('offset', $.number), optional(seq('+', field('indirect', $.source))), ']')),
    ),

    source: $ => $._value_suffix,

    // `%3`, `%3.x`, `%3 (0.5)`, `%3 (0.5, 1.0).y`, with the names of debug info `%3.color (0x1).x`, `%3.v.color.x`.
    // The definition says which of it is the name: `%3.pan` is a swizzle here, and `%3.color.x` a name.
    _value_suffix: $ => choice(
      $._value,
      seq($._value, $._swizzle_or_name),
      seq($._value, field('constant', $.inline_constant)),
      seq($._value, field('constant', $.inline_constant), $._swizzle),
      seq($._value, $._name_suffix, field('constant', $.inline_constant)),
      seq($._value, $._name_suffix, field('constant', $.inline_constant), $._swizzle),
    ),
    _value: $ => choice(field('value', $.ssa_ref), field('value', $.register)),
    register: $ => $._register,
    _swizzle_or_name: $ => choice(
      field('swizzle', $.swizzle),
      field('debug_name', alias($._debug_name, $.value_name)),
    ),
    _name_suffix: $ => field('debug_name', alias(choice($.swizzle, $._debug_name), $.value_name)),
    _swizzle: $ => field('swizzle', $.swizzle),

    divergence: _ => choice('con', 'div'),
    // Before April 2016 without a size: `vec4 ssa_0`.
    value_type: _ => token(/[0-9]+(x([0-9]+|\?\?))?|error[ \t]+[0-9]+|vec[0-9]+([ \t]+[0-9]+)?/),
    ssa_ref: _ => token(prec(2, /%[0-9]+|ssa_[0-9]+/)),
    register_ref: _ => token(prec(2, /g?r[0-9]+/)),
    swizzle: _ => token.immediate(/\.([xyzw]+|[a-p]+)/),
    _debug_name: _ => token.immediate(/(\.[A-Za-z0-9_@$:]+(-[A-Za-z0-9_@$:]+)*(\[[0-9]*\])*)+/),
    // `(0.5, 1.0)`, and `/*(0x3f000000, 0x3f800000) = (0.5, 1.0)*/` with `NIR_DEBUG=print_consts` of 22.0 to 23.1
    inline_constant: _ => token(prec(2, new RegExp(
      `\\((${NUMBER_FORM})(, ?(${NUMBER_FORM}))*\\)|/\\*\\([^*/\r\n]*\\)\\*/`,
    ))),
    number: _ => /[-+]?[0-9]+/,
    _identifier: _ => /[a-z_][A-Za-z0-9_]*/,

    annotation: _ => token(prec(1, /(error:|[Uu]n(handled|known|supported|expected) )[^\r\n]*/)),
    comment: _ => token(choice(/\/\/[^\r\n]*/, /\/\*([^*\r\n]|\*+[^*\/\r\n])*\*+\//)),
  },
});
