import { useEffect, useMemo, useReducer, useState } from "react";
import { useHydrated } from "~/ui/use-hydrated";
import type { LiveMarkdown } from "../markdown/live.schema";
import type { RenderedText } from "../markdown/tree.schema";
import { shownText } from "../shown-text.schema";
import { loadedReader, loadReader } from "./markdown-reader";
import { MarkdownTree } from "./markdown-tree";
import { PlainText } from "./plain-text";

/** How long reading may hold a frame, in milliseconds. */
const SLICE = 8;

/** A text that is being written, or that came without its tree: plain until what reads it has loaded. */
function UnreadMarkdown({ text }: { text: string }) {
  const [loaded, setLoaded] = useState(loadedReader);
  useEffect(() => {
    if (loaded) return;
    loadReader().then(
      (reader) => setLoaded(() => reader),
      () => undefined,
    );
  }, [loaded]);
  return loaded ? <GrowingMarkdown text={text} Reader={loaded} /> : <PlainText text={text} />;
}

/** Read here, a little in each frame. */
function GrowingMarkdown({ text, Reader }: { text: string; Reader: typeof LiveMarkdown }) {
  const [reader] = useState(() => new Reader());
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

/**
 * A model's Markdown as elements. The server hands over its tree, which both sides draw from; without one the text is plain
 * until the page's script runs.
 */
export function Markdown({ text, tree }: { text: string; tree?: RenderedText | null | undefined }) {
  const shown = useMemo(() => shownText(text), [text]);
  const hydrated = useHydrated();
  const fits = tree?.length === shown.length;
  return (
    <div className="prose-qd min-w-0">
      {fits && tree ? (
        <MarkdownTree tree={tree} text={shown} />
      ) : hydrated ? (
        <UnreadMarkdown text={shown} />
      ) : (
        <PlainText text={shown} />
      )}
    </div>
  );
}
