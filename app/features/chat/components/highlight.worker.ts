import { common, createLowlight } from "lowlight";

const lowlight = createLowlight(common);

/** A stretch of code: text, or stretches with a class. */
export type Coloured = string | { name: string; c: Coloured[] };

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

self.onmessage = ({ data }: MessageEvent<{ code: string; language: string }>) => {
  const { code, language } = data;
  const known = lowlight.registered(language);
  self.postMessage(known ? toColoured(lowlight.highlight(language, code).children) : undefined);
};
