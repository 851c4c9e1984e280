import type { CheckedSetting } from "./retrieval-check.schema";

export interface PassageChoice {
  documentId: string;
  document: string;
  location: string;
  quote: string;
  ticked: boolean;
}

export interface QuestionForm {
  id?: string;
  question: string;
  choices: PassageChoice[];
  other: { document: string; quote: string };
  error?: string;
  notice?: string;
}

const MAX_CHOICES = 50;

function field(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value : "";
}

export function readQuestionFields(form: FormData): QuestionForm {
  const ticked = new Set(form.getAll("ticked"));
  const choices: PassageChoice[] = [];
  for (let index = 0; index < MAX_CHOICES && form.has(`document-${index}`); index++) {
    choices.push({
      documentId: field(form, `document-${index}`),
      document: field(form, `title-${index}`),
      location: field(form, `location-${index}`),
      quote: field(form, `quote-${index}`),
      ticked: ticked.has(String(index)),
    });
  }
  const id = field(form, "id");
  return {
    ...(id ? { id } : {}),
    question: field(form, "question"),
    choices,
    other: { document: field(form, "other-document"), quote: field(form, "other-quote") },
  };
}

const CHECK_MODE_LABELS = { keywords: "Keywords", vectors: "Vectors", hybrid: "Hybrid" } as const;

export const settingLabel = ({ mode }: Pick<CheckedSetting, "mode">): string => CHECK_MODE_LABELS[mode];
