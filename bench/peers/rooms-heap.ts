/** Answers 'heap' over IPC: bytes that live after a collection, JavaScript and external together. Peers are started with --expose-gc. */
export function answerHeap(collect: () => void = globalThis.gc!): void {
  process.on('message', (message) => {
    if (message !== 'heap') return;
    collect();
    collect();
    const { heapUsed, external } = process.memoryUsage();
    process.send!(heapUsed + external);
  });
}
