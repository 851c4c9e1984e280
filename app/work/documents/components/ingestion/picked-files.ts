import { countOf } from "~/ui/format";
import { MAX_FILE_BYTES, refusalOfFile } from "~/work/extraction/formats.shared";
import type { PickedFile } from "./add-files";

export function problemOfFile(file: Pick<File, "name" | "type" | "size">): string | undefined {
  const refusal = refusalOfFile(file);
  if (refusal) return refusal;
  if (file.size > MAX_FILE_BYTES) return `Larger than ${MAX_FILE_BYTES / 1_000_000} MB`;
  if (file.size === 0) return "Empty";
  return undefined;
}

interface SkippedFile {
  path: string;
  problem: string;
}

export function partitionFiles(picked: readonly PickedFile[]): {
  usable: PickedFile[];
  skipped: SkippedFile[];
} {
  const usable: PickedFile[] = [];
  const skipped: SkippedFile[] = [];
  for (const one of picked) {
    const problem = one.problem ?? problemOfFile(one.file);
    if (problem) skipped.push({ path: one.path, problem });
    else usable.push(one);
  }
  return { usable, skipped };
}

const MAX_NAMES = 5;

export function namesOf(files: readonly { path: string; problem?: string }[]): string {
  const names = files
    .slice(0, MAX_NAMES)
    .map(({ path, problem }) =>
      problem ? `${path} (${problem.charAt(0).toLowerCase()}${problem.slice(1)})` : path,
    );
  if (files.length > MAX_NAMES) names.push(countOf(files.length - MAX_NAMES, "other"));
  return names.join(", ");
}

/** Files that the operating system adds to folders; they are skipped. */
export const SYSTEM_FILE = /^(?:\.|thumbs\.db$|desktop\.ini$|~\$)/i;

export function filesOfInput(input: HTMLInputElement): PickedFile[] {
  return [...(input.files ?? [])]
    .filter(({ name }) => !SYSTEM_FILE.test(name))
    .map((file) => ({ file, path: file.webkitRelativePath || file.name }));
}
