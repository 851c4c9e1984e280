import type { WorkflowTemplate } from "./template";

const SAMPLE =
  '[{"title": "Opening hours", "text": "We are open from nine to five."}, {"title": "Returns", "text": "Goods can be returned within thirty days."}]';

export const importAList: WorkflowTemplate = {
  id: "import-a-list",
  name: "Import a list",
  description: "Add each entry of a list of titles and texts to the documents.",
  triggers: [{ id: "by_hand", type: "manual", config: {} }],
  steps: [
    {
      id: "entries",
      type: "each",
      name: "For each entry",
      config: { items: `trigger.?items.orValue(${SAMPLE})`, maxItems: 100, bodySteps: 1 },
    },
    {
      id: "add",
      type: "ingest_document",
      name: "Add the document",
      config: { text: "{{ item.text }}", url: "", title: "{{ item.title }}", category: "" },
    },
    { id: "note", type: "log", config: { level: "info", message: "All entries were added." } },
  ],
  connections: [],
};
