import { address, choice, text } from "~/core/field.schema";
import { defineGroup } from "./group.schema";

export const recognition = defineGroup({
  id: "recognition",
  label: "Scanned Pages",
  permission: "settings.manage",
  fields: {
    reader: choice(
      ["off", "builtin", "docling", "tika", "mistral"],
      "builtin",
      {
        label: "Reader",
        hint: "Choose what reads pages of PDFs that are pictures",
        appliedBy: "extraction",
      },
      {
        off: "None: such pages are named, not read",
        builtin: "Built-in, where it is installed",
        docling: "Docling server",
        tika: "Apache Tika server",
        mistral: "Mistral OCR, or a server with its API",
      },
    ),
    address: {
      ...address({
        label: "Server's address",
        hint: "Enter the address of a Docling, Tika or Mistral server, such as https://api.mistral.ai",
        appliedBy: "extraction",
        usedWith: { field: "reader", values: ["docling", "tika", "mistral"] },
      }),
      control: {
        kind: "text",
        maxLength: 500,
        suggestions: ["http://localhost:5001", "http://localhost:9998", "https://api.mistral.ai"],
      },
    },
    keyId: text("", {
      label: "Server's key",
      hint: "Choose a key reference that is bound to this address, if the server needs one",
      max: 100,
      appliedBy: "extraction",
      usedWith: { field: "reader", values: ["docling", "tika", "mistral"] },
    }),
    model: text("mistral-ocr-latest", {
      label: "Model",
      hint: "Name the model that a Mistral server uses; Docling and Tika have none",
      min: 1,
      max: 200,
      appliedBy: "extraction",
      usedWith: { field: "reader", values: ["mistral"] },
    }),
  },
});
