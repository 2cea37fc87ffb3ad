/** Answers 'heap' over IPC: bytes that live after a collection (needs --expose-gc), JavaScript and external together. */
export function answerHeap(): void {
  process.on('message', (message) => {
    if (message !== 'heap') return;
    globalThis.gc!();
    globalThis.gc!();
    const { heapUsed, external } = process.memoryUsage();
    process.send!(heapUsed + external);
  });
}
