import { createLowlight } from "lowlight";
import { grammarsFor } from "./highlight-grammars";

const lowlight = createLowlight();

/** A span of code: text, or nested spans with a class. */
export type Coloured = string | { name: string; c: Coloured[] };

/** `started` once the grammar is loaded, then the spans, or undefined without a result. */
export type HighlightMessage = "started" | Coloured[] | undefined;

type Node = ReturnType<typeof lowlight.highlight>["children"][number];

function toColoured(nodes: readonly Node[]): Coloured[] {
  return nodes.flatMap((node): Coloured[] => {
    if (node.type === "text") return [node.value];
    if (node.type !== "element") return [];
    const names = node.properties.className;
    const name = Array.isArray(names) ? names.join(" ") : "";
    return [{ name, c: toColoured(node.children as Node[]) }];
  });
}

async function colour(code: string, language: string): Promise<Coloured[] | undefined> {
  const grammars = grammarsFor(language);
  if (!grammars) return undefined;
  for (const [name, load] of Object.entries(grammars.load)) {
    if (!lowlight.registered(name)) lowlight.register(name, (await load()).default);
  }
  self.postMessage("started" satisfies HighlightMessage);
  return toColoured(lowlight.highlight(grammars.name, code).children);
}

self.onmessage = ({ data: { code, language } }: MessageEvent<{ code: string; language: string }>) => {
  colour(code, language).then(
    (coloured) => self.postMessage(coloured satisfies HighlightMessage),
    () => self.postMessage(undefined),
  );
};
