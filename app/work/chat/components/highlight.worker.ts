import { createLowlight } from "lowlight";
import { grammarsFor } from "./highlight-grammars";

const lowlight = createLowlight();

/** A node of lowlight's tree: text, or an element with classes and children. */
export type Highlighted = ReturnType<typeof lowlight.highlight>["children"][number];

/** `started` once the grammar is loaded, then the spans, or undefined without a result. */
export type HighlightMessage = "started" | Highlighted[] | undefined;

async function colour(code: string, language: string): Promise<Highlighted[] | undefined> {
  const grammars = grammarsFor(language);
  if (!grammars) return undefined;
  for (const [name, load] of Object.entries(grammars.load)) {
    if (!lowlight.registered(name)) lowlight.register(name, (await load()).default);
  }
  self.postMessage("started" satisfies HighlightMessage);
  return lowlight.highlight(grammars.name, code).children;
}

self.onmessage = ({ data: { code, language } }: MessageEvent<{ code: string; language: string }>) => {
  colour(code, language).then(
    (coloured) => self.postMessage(coloured satisfies HighlightMessage),
    () => self.postMessage(undefined),
  );
};
