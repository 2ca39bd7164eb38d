/** Texts to begin with. */

import asynchronous from '../../../tests/fixtures/ptx/ampere_cp_async.ptx';
import tensor from '../../../tests/fixtures/ptx/hopper_wgmma.ptx';
import saxpy from '../../../tests/fixtures/ptx/nvcc_saxpy.ptx';
import softmax from '../../../tests/fixtures/ptx/triton_softmax.ptx';
import mistakes from '../../tour/tour-mistakes.ptx';
import race from '../../tour/tour-race.ptx';
import tour from '../../tour/tour.ptx';

/** An example and the language of its text. */
export interface Example {
  name: string;
  text: string;
}

export const EXAMPLES: Example[] = [
  { name: 'Mistakes and their fixes', text: mistakes },
  { name: 'A tour of the features', text: tour },
  { name: 'A race between threads', text: race },
  { name: 'saxpy, by nvcc', text: saxpy },
  { name: 'softmax, by Triton', text: softmax },
  { name: 'cp.async on sm_80', text: asynchronous },
  { name: 'wgmma on sm_90a', text: tensor },
];

/** The language of a text: PTX, or that of a host file with asm statements. */
export function languageOf(text: string, name = ''): 'ptx' | 'cuda-cpp' | 'python' {
  if (/\.(cu|cuh|c|cc|cpp|h|hpp)$/i.test(name)) return 'cuda-cpp';
  if (/\.py$/i.test(name)) return 'python';
  if (/\.ptx$/i.test(name) || /^\s*\.(version|target)\b/m.test(text)) return 'ptx';
  return /\b__asm__\b|\basm\s*(volatile\s*)?\(/.test(text) ? 'cuda-cpp' : 'ptx';
}
