/**
 * Updates of rooms: the public file of this folder, the one that others import. scan.ts reads an update of Yjs (format V1) strictly and builds
 * nothing; order.ts finds in which order its structs can be integrated; knowledge.ts (with ranges.ts) holds a room's knowledge of its document and
 * decides whether an update adds to it; fitting.ts cuts out what depends only on present structs; typed-runs.ts joins letters that were typed one by
 * one. Used by the relay (api/rooms/relay), the room log (store) and the bundles of the sdk. Decision: docs/decisions/0090-rooms-are-logs.md
 */
export { fittingPart, newPart } from './fitting.ts';
export { covers, decodeVector, deletesAsUpdate, encodeVector, judge, knowsNothing, learn, type Knowledge } from './knowledge.ts';
export { scanUpdate, type Scan } from './scan.ts';
export { joinTypedRuns } from './typed-runs.ts';
