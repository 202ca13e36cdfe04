// The TextMate grammar of NIR dumps, put together from small regular expressions and written to
// syntaxes/nir.tmLanguage.json by `npm run grammar`.
//
// NIR's printer puts one thing on a line, so every rule starts at the beginning of a line and ends with that line:
// a broken or cut line costs only itself, and log text between dumps keeps its plain colour.

/** Joins words to one alternation. */
const any = (...words) => `(?:${words.join('|')})`;

const MODES = any(
  'shader_in', 'shader_out', 'shader_storage', 'shader_temp', 'shader_call_data', 'function_temp', 'function_in',
  'function_out', 'function_inout', 'uniform', 'ubo', 'ssbo', 'system', 'shared', 'global', 'push_const', 'constant',
  'image', 'ray_hit_attrib', 'task_payload', 'node_payload_in', 'node_payload', 'mem_node_payload', 'generic',
  'pixel_local_inout', 'pixel_local_in', 'pixel_local_out', 'pixel_local',
);
const ACCESS = any(
  'none', 'coherent', 'restrict', 'volatile', 'readonly', 'writeonly', 'reorderable', 'non-writeable', 'non-readable',
  'non-uniform', 'non-temporal', 'include-helpers', 'skip-helpers', 'speculatable', 'in-bounds', 'keep-scalar', 'atomic',
  'can-reorder', '[a-z]+(?:-[a-z]+)*-(?:amd|intel)',
);
const PRECISION = any('highp', 'mediump', 'lowp');
const HEADER_FIELD = any(
  'name', 'label', 'internal', 'prev_stage', 'next_stage', 'source_(?:sha1|blake3)', 'stage',
  'workgroup[-_]size(?:_hint|_variable)?', 'shared(?:[-_]size)?', 'subgroup_size', '\\w+_subgroup_size\\w*',
  'num_\\w+', 'inputs', 'outputs', 'uniforms', 'ubos', 'scratch', 'constants', 'printfs', 'ray queries',
  '\\w*(?:inputs|outputs)\\w*', '\\w+_varyings', '\\w+_values_read', '(?:textures|samplers|images)_used\\w*',
  '(?:image_buffers|msaa_images)', 'float_controls_execution_mode', 'task_payload_size', 'xfb_stride', 'xfb_strides',
  'inlinable_uniform_dw_offsets', '(?:clip|cull)_distance_array_size', 'uses_\\w+', 'needs_\\w+', 'bit_sizes_(?:int|float)',
  'first_ubo_is_default_ubo', 'separate_shader', '\\w*interpolation_qualifiers', '(?:flrp|io)_lowered', 'writes_memory',
  'derivative_group', 'divergence_analysis_run', 'double_inputs', 'blit_sgprs_amd', 'window_space_position',
  'primitive_mode', 'primitive_type', 'tcs_\\w+', 'spacing', 'ccw', 'point_mode', '(?:out|in)put[ _]primitive',
  'vertices[ _](?:in|out)', 'max_(?:vertices|primitives)_out', 'invocations', 'active_stream_mask', 'color_is_dual_source',
  'require_full_quads', 'early_fragment_tests', 'inner_coverage', 'post_depth_coverage', 'pixel_center_integer',
  'origin_upper_left', '(?:pixel|sample)_interlock_(?:un)?ordered', 'untyped_color_outputs', 'depth_layout',
  'advanced_blend_modes', 'ms_cross_invocation_output_access', 'user_data_components_amd', 'ptr_size', 'nv',
  'has_\\w+', 'known_\\w+', 'cooperative_\\w+', 'maximally_reconverges',
);
const TEXTURE_OPCODE = any(
  'txf_ms_mcs_intel', 'txf_ms_mcs', 'txf_ms_fb', 'txf_ms', 'txf', 'txl', 'txb', 'txd', 'txs', 'tex', 'lod_bias\\w*', 'lod',
  'tg4', 'query_levels', 'texture_samples', 'samples_identical', 'tex_prefetch', 'tex_type_nv', 'hdr_dim_nv',
  'sample_pos_nv', 'fragment_(?:mask_)?fetch(?:_amd)?', '(?:sampler_)?descriptor_amd', '\\w+_agx',
);
const TEXTURE_SOURCE = any(
  'backend1', 'backend2', 'coord', 'projector', 'comparat?or', 'comparitor', 'offset', 'offsets', 'bias', 'lod', 'min_lod',
  'max_lod_kk', 'ms_index', 'ms_mcs(?:_intel)?', 'lod_bias_min_agx', 'ddx', 'ddy',
  '(?:texture|sampler)(?:_(?:deref|deref_intrinsic|offset|handle|index))?', 'plane', 'gather_component',
  'pre-dispatchable',
);
const IO_FLAG = any(
  'dualsrc', 'fbfetch', 'coherent', 'perview', 'per_view', 'mediump', 'high_16bits', 'high_dvec2', 'no_varying',
  'no_sysval_output', 'no_validate', 'invariant', 'explicit_strict', 'interp_explicit_strict', 'no_signed_zero',
);

const VALUE = '(?:%\\d+|ssa_\\d+)';
const BLOCK = '(?:b\\d+|block_\\d+)';
const REGISTER = '(?:\\bg?r\\d+)';
const SOURCE_START = `(?=-?(?:abs\\()?(?:%\\d|ssa_\\d|g?r\\d+\\b|/\\*))`;
const NUMBER = '[+-]?(?:0x[0-9a-fA-F]+|\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?|inf|nan)';
const CONSTANT = `(?:${NUMBER}|true|false)`;
/** Behind a name: the data part of decl_var, an initializer, a comment, or nothing. */
const AFTER_NAME = '(?=\\s*(?:\\((?:~?\\d+|[A-Z][A-Z0-9_]*)(?:\\.\\w+)?(?:,\\s*\\d+)*\\)|=\\s|//|/\\*|$))';
const SLOT = '\\b(?:VARYING_SLOT|VERT_ATTRIB|FRAG_RESULT|SYSTEM_VALUE)_[A-Z0-9_]+|\\bUNKNOWN\\b';
/** `32x4`, `vec4 32`, `vec4` with a `con` or `div` on either side, as the printers of different years put it. */
const DEF_PREFIX =
  '(?:(con|div)\\s+)?(?:((?:1|8|16|32|64)(?:x\\d+)?)|(vec\\d+)(?:\\s+(\\d+))?)\\s+(?:(con|div)\\s+)?((?:/\\*.*?\\*/\\s*)?)';

const include = (...names) => names.map((name) => ({ include: `#${name}` }));
const captures = (names) =>
  Object.fromEntries(
    Object.entries(names).map(([group, value]) => [
      group,
      typeof value === 'string' ? { name: `${value}.nir` } : { patterns: value },
    ]),
  );
/** A rule for the whole line that starts with `begin`. */
const line = (meta, begin, names, patterns) => ({
  name: `${meta}.nir`,
  begin: `^\\s*${begin}`,
  beginCaptures: captures(names),
  end: '$',
  patterns,
});
const match = (expression, names) =>
  typeof names === 'string' ? { name: `${names}.nir`, match: expression } : { match: expression, captures: captures(names) };

const divergence = [
  match('\\bcon\\b', 'storage.modifier.divergence.convergent'),
  match('\\bdiv\\b', 'storage.modifier.divergence.divergent'),
];
const defNames = {
  1: divergence,
  2: 'storage.type.size',
  3: 'storage.type.size',
  4: 'storage.type.size',
  5: divergence,
  6: include('comment'),
};

const repository = {
  comment: {
    patterns: [
      {
        name: 'comment.line.double-slash.cfg.nir',
        begin: '//(?=\\s*(?:preds|succs):)',
        end: '$',
        patterns: include('edges'),
      },
      {
        name: 'comment.block.cfg.nir',
        begin: '/\\*(?=\\s*(?:preds|succs):)',
        end: '\\*/|$',
        patterns: include('edges'),
      },
      {
        name: 'comment.line.double-slash.directive.nir',
        begin: '(//)\\s*(nirls:)',
        beginCaptures: captures({ 1: 'punctuation.definition.comment', 2: 'keyword.other.directive' }),
        end: '$',
        patterns: [match('\\b(pipeline)\\s+(\\S+)', { 1: 'keyword.other.directive', 2: 'string.unquoted.pipeline' })],
      },
      match('//.*$', 'comment.line.double-slash'),
      { name: 'comment.block.nir', begin: '/\\*', end: '\\*/|$' },
    ],
  },
  edges: {
    patterns: [
      match('\\b(?:preds|succs)(?=:)', 'keyword.other.cfg'),
      match(`\\b${BLOCK}\\b`, 'entity.name.label.reference'),
    ],
  },

  // Text between the dumps and the lines that other tools put into them.
  log: {
    patterns: [
      match('^(===)\\s+((?:BEFORE|AFTER|OPTIMIZED) (?:PRODUCER|CONSUMER)|PROGRESS)\\b(.*)$', {
        1: 'punctuation.definition.heading',
        2: 'markup.heading.section',
        3: include('setting', 'number'),
      }),
      match('^\\s*(error:)\\s*(.*)$', { 1: 'invalid.illegal.validation', 2: 'markup.deleted.validation' }),
      match('^(?:NIR validation failed.*|\\d+ (?:additional )?errors:.*)$', 'invalid.illegal.validation'),
      match('^([a-z][a-z0-9]*(?:_[a-z0-9]+)+)\\s*$', { 1: 'markup.heading.pass' }),
    ],
  },

  header: {
    patterns: [
      line('meta.header.stage', '(shader)(:)\\s+(MESA_SHADER_\\w+)', {
        1: 'keyword.other.shader', 2: 'punctuation.separator.key-value', 3: 'constant.language.stage',
      }, []),
      match('^(name|label)(:)\\s(.*)$', {
        1: 'support.type.property-name.header', 2: 'punctuation.separator.key-value', 3: 'string.unquoted.name',
      }),
      line('meta.header.field', `(?<!\\s)(${HEADER_FIELD})(:)(?=\\s|$)`, {
        1: 'support.type.property-name.header', 2: 'punctuation.separator.key-value',
      }, [
        match('\\bMESA_SHADER_\\w+', 'constant.language.stage'),
        match("0x[0-9a-fA-F]+(?:'[0-9a-fA-F]+)*", 'constant.numeric.hex'),
        match('\\b\\d+(-)\\d+\\b', { 0: 'constant.numeric.range', 1: 'keyword.operator.range' }),
        match('\\b(?:true|false)\\b', 'constant.language.boolean'),
        match('\\b[A-Z][A-Z0-9_]+\\b', 'variable.other.enummember.header'),
        match('\\b\\d+\\b', 'constant.numeric.integer'),
        match('\\(variable\\)', 'storage.modifier.header'),
        ...include('punctuation'),
      ]),
    ],
  },

  declaration: {
    patterns: [
      line('meta.declaration.variable', '(decl_var)\\s+((?:[a-z_]+\\s+)*)(INTERP_(?:MODE|QUALIFIER)_\\w+)', {
        1: 'storage.type.declaration',
        2: [
          match(`\\b${MODES}\\b`, 'storage.modifier.mode'),
          match('\\b[a-z_]+\\b', 'storage.modifier.qualifier'),
        ],
        3: 'variable.other.enummember.interpolation',
      }, [
        // Mode and interpolation are behind us; access, image format, precision, type and name follow in this order.
        // The first words are only an access if a type comes after them, so that a variable may be named `none`.
        match(
          `\\G\\s+((?:${ACCESS}\\s+(?=\\S))*)(?:(\\w+)\\s+(?=(?:${PRECISION}\\s+)?[iu]?(?:64)?(?:image|subpass)))?` +
            `(?:(${PRECISION})\\s+)?([^\\s(]\\S*)\\s(.*?)${AFTER_NAME}`,
          {
            1: [match('[a-z-]+', 'storage.modifier.access')],
            2: 'variable.other.enummember.format',
            3: 'storage.modifier.precision',
            4: include('type'),
            5: [match('\\S(?:.*\\S)?', 'variable.other.declaration')],
          },
        ),
        match(`(\\()(${SLOT}|~?\\d+)(?:(\\.)(\\w+))?(?:(,)\\s*(\\d+)(,)\\s*(\\d+))?(\\))(?:\\s+(compact)\\b)?`, {
          1: 'punctuation.section.parens.begin',
          2: include('slot', 'number'),
          3: 'punctuation.accessor',
          4: 'support.variable.swizzle',
          5: 'punctuation.separator.comma',
          6: 'constant.numeric.driver-location',
          7: 'punctuation.separator.comma',
          8: 'constant.numeric.binding',
          9: 'punctuation.section.parens.end',
          10: 'storage.modifier.compact',
        }),
        match('(=)\\s+(null)\\b', { 1: 'keyword.operator.assignment', 2: 'constant.language.null' }),
        match('(=)\\s+(&)(\\S+)', {
          1: 'keyword.operator.assignment', 2: 'keyword.operator.address', 3: 'variable.other.name',
        }),
        match('=', 'keyword.operator.assignment'),
        match('\\b(?:clamp_to_edge|clamp|repeat_mirrored|repeat|nearest|linear|none)\\b', 'variable.other.enummember.sampler'),
        ...include('comment', 'slot', 'number', 'boolean', 'punctuation'),
      ]),
      line('meta.declaration.register', `(decl_reg)\\s+(vec\\d+)(?:\\s+(\\d+))?`, {
        1: 'storage.type.declaration', 2: 'storage.type.size', 3: 'storage.type.size',
      }, [
        match('\\(packed\\)', 'storage.modifier.packed'),
        ...divergence,
        match('\\bg?r\\d+\\b', 'variable.other.declaration'),
        ...include('comment', 'number', 'punctuation'),
      ]),
      line('meta.declaration.function', '(decl_function)\\s+(\\S+)', {
        1: 'storage.type.declaration', 2: 'entity.name.function',
      }, [
        match('(\\()(entrypoint|inline|noinline|exported)(\\))', {
          1: 'punctuation.section.parens.begin', 2: 'storage.modifier.function', 3: 'punctuation.section.parens.end',
        }),
        match('(\\d+)\\s+(params)\\b', { 1: 'constant.numeric.integer', 2: 'keyword.other.params' }),
        match('\\b\\d+x\\d+x\\d+\\b', 'constant.numeric.workgroup-size'),
        match('\\b((?:1|8|16|32|64)(?:x\\d+)?)(?:\\s+([^\\s,()]+))?(?=\\s*[,)])', {
          1: 'storage.type.size', 2: 'variable.parameter.function',
        }),
        match('\\b(?:in|out|inout|returning)\\b', 'storage.modifier.parameter'),
        ...include('comment', 'type', 'punctuation'),
      ]),
      line('meta.declaration.impl', '(impl)\\s+(\\S+)', { 1: 'storage.type.impl', 2: 'entity.name.function' }, [
        match('\\breturning\\b', 'storage.modifier.parameter'),
        ...include('comment', 'type', 'punctuation'),
      ]),
      match('^\\s*(preamble)\\s+(\\S+)\\s*$', { 1: 'storage.type.impl', 2: 'entity.name.function' }),
      match('^(struct)\\s+(.+?)\\s*(\\{)\\s*$', {
        1: 'storage.type.struct', 2: 'entity.name.type.struct', 3: 'punctuation.section.braces.begin',
      }),
      match('^ {3}(\\S+)\\s+(\\S+)(;)\\s*$', {
        1: include('type'), 2: 'variable.other.member', 3: 'punctuation.terminator',
      }),
    ],
  },

  flow: {
    patterns: [
      line('meta.block', `(?:(con|div)\\s+)?(block)\\s+(${BLOCK})(:)`, {
        1: divergence, 2: 'keyword.other.block', 3: 'entity.name.label', 4: 'punctuation.separator.label',
      }, include('comment')),
      line('meta.flow.if', '(?:(con|div)\\s+)?(if)\\s+(?=%|ssa_|g?r\\d|/\\*|\\{|-|abs)', {
        1: divergence, 2: 'keyword.control.conditional',
      }, [...include('hint', 'operand', 'braces')]),
      line('meta.flow.loop', '(?:(con|div)\\s+)?(loop)\\b(?=\\s*(?:\\{|//|/\\*|$))', {
        1: divergence, 2: 'keyword.control.loop',
      }, [...include('hint', 'braces', 'comment')]),
      line('meta.flow.else', '(\\})\\s*(?:(else)|(continue))\\b', {
        1: 'punctuation.section.braces.end', 2: 'keyword.control.conditional', 3: 'keyword.control.loop',
      }, [...include('hint', 'braces', 'comment')]),
      match('^\\s*(\\})\\s*$', { 1: 'punctuation.section.braces.end' }),
      line('meta.jump', '(break|continue|return|halt)(?=\\s*(?:$|//|/\\*))', { 1: 'keyword.control.jump' }, include('comment')),
      line('meta.jump.goto', `(goto)\\s+(${BLOCK})\\b`, { 1: 'keyword.control.jump', 2: 'entity.name.label.reference' }, [
        match('\\b(?:if|else)\\b', 'keyword.control.jump'),
        match(`\\b${BLOCK}\\b`, 'entity.name.label.reference'),
        ...include('operand'),
      ]),
      line('meta.call', '(call|cmat_call_\\w+)\\s+(\\S+)\\s', { 1: 'keyword.control.call', 2: 'entity.name.function' }, [
        match('\\b(?:indirect|returning)\\b', 'keyword.other.call'),
        match(`([^\\s,()%]+)\\s+(?=${VALUE})`, { 1: 'variable.parameter.function' }),
        ...include('operand'),
        match('[A-Za-z_][\\w@#.]*', 'variable.other.name'),
      ]),
    ],
  },
  // The printer puts a hint between the condition and the brace: `if %4  // flatten {`.
  hint: {
    patterns: [
      match('//.*?(?=\\{\\s*$)', 'comment.line.double-slash.hint'),
      match('/\\*.*?\\*/', 'comment.block.hint'),
    ],
  },
  braces: {
    patterns: [match('\\{', 'punctuation.section.braces.begin'), match('\\}', 'punctuation.section.braces.end')],
  },

  instruction: {
    patterns: [
      line('meta.instruction', `${DEF_PREFIX}(${VALUE})\\s+(=)\\s+`, {
        ...defNames, 7: 'variable.other.definition', 8: 'keyword.operator.assignment',
      }, include('right-hand-side')),
      // Registers of the old dialects: a write mask instead of a size.
      line('meta.instruction.register',
        `(?:(con|div)\\s+)?((?:/\\*.*?\\*/\\s*)?)(${REGISTER})((?:\\[[^\\]=]*\\])?)(?:(\\.)([a-p]+|[xyzw]+))?\\s+(=)\\s+`, {
          1: divergence,
          2: include('comment'),
          3: 'variable.other.register.definition',
          4: include('operand'),
          5: 'punctuation.accessor',
          6: 'support.variable.swizzle',
          7: 'keyword.operator.assignment',
        }, include('right-hand-side')),
      // A parallel copy whose destination is a register handle.
      line('meta.instruction.parallel-copy', `(\\*)(${VALUE})\\s+(=)\\s+`, {
        1: 'keyword.operator.dereference', 2: 'variable.other.use', 3: 'keyword.operator.assignment',
      }, include('right-hand-side')),
      line('meta.instruction.intrinsic', '(intrinsic)\\s+([a-z]\\w*)', {
        1: 'keyword.other.intrinsic', 2: 'support.function.intrinsic',
      }, include('intrinsic-operand')),
      line('meta.instruction.intrinsic', '(@)([a-z]\\w*)(?=\\s*(?:\\(|//|$))', {
        1: 'punctuation.definition.intrinsic', 2: 'support.function.intrinsic',
      }, include('intrinsic-operand')),
    ],
  },
  'right-hand-side': {
    patterns: [
      { begin: '\\G(load_const)\\b', beginCaptures: captures({ 1: 'support.function.constant' }), end: '$', patterns: [
        match('=', 'keyword.operator.assignment'),
        ...include('comment', 'number', 'boolean', 'punctuation'),
      ] },
      { begin: '\\G(undefined|undef)\\b', beginCaptures: captures({ 1: 'constant.language.undefined' }), end: '$', patterns: include('comment') },
      { begin: '\\G(phi)\\b', beginCaptures: captures({ 1: 'keyword.control.phi' }), end: '$', patterns: [
        match(`\\b(${BLOCK})(:)`, { 1: 'entity.name.label.reference', 2: 'punctuation.separator.label' }),
        ...include('operand'),
      ] },
      { begin: '\\G(deref_var)\\s+(&)', beginCaptures: captures({ 1: 'support.function.deref', 2: 'keyword.operator.address' }), end: '$', patterns: [
        match(`\\G(\\S.*?)(?=\\s+\\((?:${MODES}))`, { 1: 'variable.other.name' }),
        ...include('deref-operand'),
      ] },
      { begin: '\\G(deref_\\w+)\\b', beginCaptures: captures({ 1: 'support.function.deref' }), end: '$', patterns: include('deref-operand') },
      { begin: '\\G(intrinsic)\\s+([a-z]\\w*)', beginCaptures: captures({ 1: 'keyword.other.intrinsic', 2: 'support.function.intrinsic' }), end: '$', patterns: include('intrinsic-operand') },
      { begin: '\\G(@)([a-z]\\w*)', beginCaptures: captures({ 1: 'punctuation.definition.intrinsic', 2: 'support.function.intrinsic' }), end: '$', patterns: include('intrinsic-operand') },
      { begin: `\\G(?:(\\()((?:float|int|uint|bool|invalid)\\d*)(\\)))?(${TEXTURE_OPCODE})(?=\\s)`, beginCaptures: captures({
        1: 'punctuation.section.parens.begin', 2: 'support.type.alu', 3: 'punctuation.section.parens.end', 4: 'support.function.texture',
      }), end: '$', patterns: include('texture-operand') },
      { begin: `\\G${SOURCE_START}`, end: '$', patterns: include('copy') },
      { begin: '\\G([a-z]\\w*)(!)?((?:\\.(?:sat|nsw|nuw|nsz|ninf|nnan|contract|reassoc|\\w+)|~\\w+)*)', beginCaptures: captures({
        1: 'support.function.opcode', 2: 'keyword.operator.exact', 3: [match('[.~]\\w+', 'storage.modifier.flag')],
      }), end: '$', patterns: include('operand') },
    ],
  },
  // More copies of a parallel copy: `r0 = ssa_1; vec1 32 ssa_4 = r2`.
  copy: {
    patterns: [
      match(';', 'punctuation.separator.copy'),
      match(`${DEF_PREFIX}(${VALUE})\\s+(=)`, { ...defNames, 7: 'variable.other.definition', 8: 'keyword.operator.assignment' }),
      match(`(\\*)(${VALUE})\\s+(=)`, { 1: 'keyword.operator.dereference', 2: 'variable.other.use', 3: 'keyword.operator.assignment' }),
      match('=', 'keyword.operator.assignment'),
      ...include('operand'),
    ],
  },

  operand: {
    patterns: [
      ...include('comment', 'use'),
      match('\\babs(?=\\()', 'keyword.operator.modifier.abs'),
      match('-(?=abs\\(|%|ssa_|g?r\\d)', 'keyword.operator.modifier.negate'),
      match('(?<=[)\\]])(\\.)([xyzw]+|[a-p]+)\\b', { 1: 'punctuation.accessor', 2: 'support.variable.swizzle' }),
      ...include('number', 'boolean', 'punctuation'),
    ],
  },
  // A source, with the constant that the modern printer puts behind it, and its swizzle.
  use: {
    patterns: [
      match(`(${VALUE})(?:\\s+(\\((?:${CONSTANT}(?:,\\s*${CONSTANT})*)\\)))?(?:(\\.)([xyzw]+|[a-p]+)\\b)?`, {
        1: 'variable.other.use',
        2: [{ name: 'meta.constant.inlined.nir', match: '.+', captures: captures({ 0: include('number', 'boolean', 'punctuation') }) }],
        3: 'punctuation.accessor',
        4: 'support.variable.swizzle',
      }),
      match(`(${REGISTER})\\b(?:(\\.)([xyzw]+|[a-p]+)\\b)?`, {
        1: 'variable.other.register.use', 2: 'punctuation.accessor', 3: 'support.variable.swizzle',
      }),
    ],
  },
  'deref-operand': {
    patterns: [
      ...include('comment'),
      match(`(\\()(${MODES}(?:\\|${MODES})*)(?:\\s+(${PRECISION}))?\\s+([^()]*)(\\))`, {
        1: 'punctuation.section.parens.begin',
        2: [match('[a-z_]+', 'storage.modifier.mode'), match('\\|', 'keyword.operator.union')],
        3: 'storage.modifier.precision',
        4: include('type'),
        5: 'punctuation.section.parens.end',
      }),
      match('(\\()([^()]*?)\\s*(\\*)(\\))(?=%|ssa_)', {
        1: 'punctuation.section.parens.begin', 2: include('type'), 3: 'keyword.operator.pointer', 4: 'punctuation.section.parens.end',
      }),
      match('(->)([^\\s(]+)', { 1: 'punctuation.accessor.arrow', 2: 'variable.other.member' }),
      match('(\\[)(\\*)(\\])', {
        1: 'punctuation.section.brackets.begin', 2: 'keyword.operator.wildcard', 3: 'punctuation.section.brackets.end',
      }),
      match('\\(in bounds\\)', 'storage.modifier.in-bounds'),
      match('&', 'keyword.operator.address'),
      match('\\*', 'keyword.operator.dereference'),
      ...include('setting', 'use', 'number', 'punctuation'),
    ],
  },
  'texture-operand': {
    patterns: [
      ...include('comment', 'use'),
      match(`(\\()(${TEXTURE_SOURCE})(\\))`, {
        1: 'punctuation.section.parens.begin', 2: 'variable.parameter.texture-source', 3: 'punctuation.section.parens.end',
      }),
      match('\\b(?:implicit lod|(?:texture|sampler) non-uniform|non-uniform|sparse|skip_helpers)\\b', 'storage.modifier.texture'),
      match('\\b(?:[123]D(?:-MSAA)?|Cube|Rect|Buf|Subpass(?:-MSAA)?|External)\\s*$', 'variable.other.enummember.dimension'),
      ...include('setting', 'number', 'punctuation'),
      match('[A-Za-z_][\\w@#.]*', 'variable.other.name'),
    ],
  },
  'intrinsic-operand': {
    patterns: [
      ...include('comment', 'use', 'io', 'setting', 'number', 'boolean', 'slot'),
      match('-(?=abs\\(|%|ssa_|r\\d)', 'keyword.operator.modifier.negate'),
      ...include('punctuation'),
      match('[A-Za-z_.][\\w@#.-]*', 'variable.other.name'),
    ],
  },
  // `io location=VARYING_SLOT_VAR0 slots=1 no_varying gs_streams(x=0 y=0 z=0 w=0)` and `xfb(components=0..1 buffer=0 offset=4)`.
  io: {
    patterns: [
      match('\\bio(?=\\s+location=)', 'keyword.other.io-semantics'),
      match(`(?<=\\s)${IO_FLAG}(?=\\s*[ ,)/]|\\s+gs_streams)`, 'storage.modifier.io'),
      match('\\b(?:gs_streams|xfb2?)(?=\\()', 'keyword.other.io-semantics'),
      match('\\b(component|components)(=)(\\d+)(?:(\\.\\.)(\\d+))?', {
        1: 'variable.parameter.index', 2: 'keyword.operator.assignment', 3: 'constant.numeric.integer',
        4: 'keyword.operator.range', 5: 'constant.numeric.integer',
      }),
    ],
  },
  setting: {
    patterns: [
      match('\\b(wrmask)(=)([xyzw]+|[a-p]+)?', {
        1: 'variable.parameter.index', 2: 'keyword.operator.assignment', 3: 'support.variable.swizzle',
      }),
      match(`\\b([A-Za-z_][\\w-]*)(=)(?:(${SLOT})|(${CONSTANT})(?![\\w.])|([A-Za-z0-9_~][\\w|+.-]*))?`, {
        1: 'variable.parameter.index',
        2: 'keyword.operator.assignment',
        3: 'variable.other.enummember.slot',
        4: include('number', 'boolean'),
        5: 'variable.other.enummember.index-value',
      }),
      match('[|^&](?=\\s)', 'keyword.operator.bitwise'),
    ],
  },

  type: {
    patterns: [
      match(
        '\\b(?:void|bool|float(?:16_t|64_t)?|double|u?int(?:8|16|64)?(?:_t)?|(?:[biud]|f16|f64|[iu](?:8|16|64))?vec\\d+(?:x\\d+a\\d+B?)?|' +
          '(?:f16|d)?mat\\d(?:x\\d)?(?:x\\d+a\\d+B?)?|[iu]?(?:sampler|texture|image|subpassInput|itexture|utexture)\\w*|atomic_uint)\\b',
        'support.type.builtin',
      ),
      match('(\\[)(\\d*)(\\])', {
        1: 'punctuation.section.brackets.begin', 2: 'constant.numeric.integer', 3: 'punctuation.section.brackets.end',
      }),
      match('[A-Za-z_#][\\w#@.]*', 'entity.name.type'),
      ...include('punctuation'),
    ],
  },
  slot: { patterns: [match(SLOT, 'variable.other.enummember.slot')] },
  number: {
    patterns: [
      match('(?<![\\w%.])[+-]?0x[0-9a-fA-F]+\\b', 'constant.numeric.hex'),
      match('(?<![\\w%.])[+-]?(?:\\d+\\.\\d+(?:e[+-]?\\d+)?|\\d+e[+-]?\\d+|inf|nan)\\b', 'constant.numeric.float'),
      match('(?<![\\w%.])[+-]?\\d+\\b', 'constant.numeric.integer'),
      match('~0\\b', 'constant.numeric.integer'),
    ],
  },
  boolean: { patterns: [match('\\b(?:true|false)\\b', 'constant.language.boolean')] },
  punctuation: {
    patterns: [
      match(',', 'punctuation.separator.comma'),
      match('\\(', 'punctuation.section.parens.begin'),
      match('\\)', 'punctuation.section.parens.end'),
      match('\\[', 'punctuation.section.brackets.begin'),
      match('\\]', 'punctuation.section.brackets.end'),
      match('\\{', 'punctuation.section.braces.begin'),
      match('\\}', 'punctuation.section.braces.end'),
      match('\\+(?=\\s)', 'keyword.operator.arithmetic'),
    ],
  },
  // Only a comment that starts its line: log text is full of addresses such as https://mesa3d.org.
  'comment-line': {
    patterns: [{ begin: '^\\s*(?=//|/\\*)', end: '$', patterns: include('comment') }],
  },
};

export const grammar = {
  $schema: 'https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json',
  name: 'NIR',
  scopeName: 'source.nir',
  comment: 'Written by scripts/grammar.mjs (npm run grammar).',
  fileTypes: ['nir'],
  firstLineMatch: '^shader: MESA_SHADER_',
  patterns: include('comment-line', 'instruction', 'flow', 'declaration', 'header', 'log'),
  repository,
};

export const grammarText = `${JSON.stringify(grammar, null, 2)}\n`;
