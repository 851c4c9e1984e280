import type { DocumentFormat } from "../format";
import { readProperties } from "../office/core-properties";
import { unpackParts } from "../office/zip";
import { readPresentation } from "../slides/read-presentation";

const isWanted = (name: string) =>
  /^(?:ppt\/(?:presentation|(?:slides|notesSlides)\/[^/]+)\.xml|ppt\/(?:slides\/)?_rels\/[^/]+\.rels|docProps\/core\.xml)$/.test(
    name,
  );

export const pptx: DocumentFormat = {
  label: "PowerPoint",
  endings: [".pptx", ".pptm", ".ppsx", ".potx"],
  types: ["application/vnd.openxmlformats-officedocument.presentationml.presentation"],
  isText: false,
  recognises: ({ entries }) => entries.has("ppt/presentation.xml"),
  async read({ bytes }) {
    const parts = await unpackParts(bytes, isWanted);
    const { builder, slides } = readPresentation(parts);
    const { title, facts } = readProperties(parts);
    return builder.finish(title, { format: this.label, pages: slides, ...facts });
  },
};
