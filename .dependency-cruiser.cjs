/** Who may import whom. The layer table in CONTRIBUTING.md says the same in words. */
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'core-is-pure',
      comment: 'core imports core, node:crypto and lru-cache only',
      severity: 'error',
      from: { path: '^src/core/' },
      to: { pathNot: ['^src/core/', '^(node:)?crypto$', 'node_modules/lru-cache'] },
    },
    {
      name: 'wire-on-core',
      severity: 'error',
      from: { path: '^src/wire/' },
      to: { path: '^(src|adapters)/', pathNot: '^src/(core|wire)/' },
    },
    {
      name: 'leaves-on-core',
      comment: 'storage, config and observe see core and themselves',
      severity: 'error',
      from: { path: '^src/(storage|config|observe)/' },
      to: { path: '^(src|adapters)/', pathNot: '^src/(core|$1)/' },
    },
    {
      name: 'proxy-sees-contracts',
      comment: 'proxy, driver and rig see an adapter only as the contract in core/adapter.ts',
      severity: 'error',
      from: { path: '^src/(proxy|driver|rig)/' },
      to: { path: '^(src|adapters)/', pathNot: '^src/(core|wire|observe|$1)/' },
    },
    {
      name: 'adapters-stand-alone',
      severity: 'error',
      from: { path: '^adapters/([^/]+)/' },
      to: { path: '^(src|adapters)/', pathNot: ['^src/(core|wire)/', '^adapters/$1/'] },
    },
    {
      name: 'app-is-the-only-composer',
      severity: 'error',
      comment: 'each way in has one root: the process, and a library for each database',
      from: { path: '^src/', pathNot: '^src/(app|mongodb)\\.ts$' },
      to: { path: '^adapters/' },
    },
    {
      name: 'app-is-a-root',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(cli/|index\\.ts|app\\.ts)' },
      to: { path: '^src/app\\.ts$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
