/** A binary min-heap over an array: the first element by `before` is at index 0. The caller breaks ties. */
export function pushHeap<Item>(heap: Item[], item: Item, before: (a: Item, b: Item) => boolean): void {
  let index = heap.push(item) - 1;
  while (index > 0) {
    const parent = (index - 1) >> 1;
    const above = heap[parent] as Item;
    if (!before(item, above)) break;
    heap[index] = above;
    index = parent;
  }
  heap[index] = item;
}

/** Takes the first item out; undefined when the heap is empty. */
export function popHeap<Item>(heap: Item[], before: (a: Item, b: Item) => boolean): Item | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return first;
  let index = 0;
  for (;;) {
    let child = index * 2 + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && before(heap[child + 1] as Item, heap[child] as Item)) child += 1;
    const below = heap[child] as Item;
    if (!before(below, last)) break;
    heap[index] = below;
    index = child;
  }
  heap[index] = last;
  return first;
}
