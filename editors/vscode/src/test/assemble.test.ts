import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assembleCommand, targetOf } from '../node/assemble';

void test('the target is the one of the directive', () => {
  assert.equal(targetOf('.version 8.0\n.target sm_90a, texmode_independent\n'), 'sm_90a');
  assert.equal(targetOf('// .target sm_70\n/* .target\nsm_75 */ .target sm_80\n'), 'sm_80');
  assert.equal(targetOf('.target debug\n'), undefined);
  assert.equal(targetOf(''), undefined);
});

void test('ptxas is called with the target and writes nothing', () => {
  const it = { file: 'a b.ptx', target: 'sm_90', program: '', platform: 'linux' };
  assert.deepEqual(assembleCommand(it), {
    command: 'ptxas',
    args: ['-arch=sm_90', '-v', '-o', '/dev/null', 'a b.ptx'],
  });
  assert.deepEqual(
    assembleCommand({ ...it, target: undefined, program: '/x/ptxas', output: 'a.cubin', args: ['-O0'] }),
    { command: '/x/ptxas', args: ['-v', '-O0', '-o', 'a.cubin', 'a b.ptx'] },
  );
  assert.equal(assembleCommand({ ...it, platform: 'win32' }).args.at(-2), 'NUL');
});
