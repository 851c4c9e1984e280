import { listPermittedAmong } from "./chunks.queries";
import type { Reader } from "./reader";
import type { SearchTask } from "./search-task";

export const isFiltered = ({ filters }: SearchTask) =>
  Object.values(filters).some((value) => value !== undefined);

export function keepPermitted<Hit extends { chunkId: number }>(
  reader: Reader,
  task: SearchTask,
  hits: readonly Hit[],
): Hit[] {
  const kept = new Set(
    listPermittedAmong(
      reader,
      task,
      hits.map(({ chunkId }) => chunkId),
    ),
  );
  return hits.filter(({ chunkId }) => kept.has(chunkId));
}

export function takePermitted<Hit extends { chunkId: number }>(
  reader: Reader,
  task: SearchTask,
  hits: readonly Hit[],
  limit: number,
): Hit[] {
  const permitted: Hit[] = [];
  for (
    let start = 0, size = limit;
    permitted.length < limit && start < hits.length;
    start += size, size *= 2
  ) {
    permitted.push(...keepPermitted(reader, task, hits.slice(start, start + size)));
  }
  return permitted.slice(0, limit);
}
