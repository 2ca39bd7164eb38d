import js from '@eslint/js';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['node_modules/', 'src/offline.ts'] },
  {
    files: ['src/**/*.ts'],
    extends: [js.configs.recommended, ...tseslint.configs.strict, ...tseslint.configs.stylistic],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
  },
  {
    files: ['scripts/**/*.mjs', 'test/**/*.mjs', '*.mjs'],
    extends: [js.configs.recommended],
    // A part of the tests runs in the page.
    languageOptions: {
      globals: Object.fromEntries(
        'process console URL setTimeout performance document navigator caches localStorage'
          .split(' ')
          .map((name) => [name, 'readonly']),
      ),
    },
  },
);
