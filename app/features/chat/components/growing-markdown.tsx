import { useEffect, useMemo, useReducer, useState } from "react";
import { LiveMarkdown } from "../markdown/live.schema";
import { MarkdownTree } from "./markdown-tree";

/** How long reading may hold a frame, in milliseconds. */
const SLICE = 8;

/** A text that is being written, or that came without its tree: read here, a little in each frame. */
export default function GrowingMarkdown({ text }: { text: string }) {
  const [reader] = useState(() => new LiveMarkdown());
  const [slice, readOn] = useReducer((count: number) => count + 1, 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each slice reads on in the same text.
  const { tree, whole } = useMemo(() => reader.grow(text, SLICE), [reader, text, slice]);
  useEffect(() => {
    if (whole) return;
    const timer = setTimeout(readOn, 0);
    return () => clearTimeout(timer);
  });
  return <MarkdownTree tree={tree} text={text} />;
}
