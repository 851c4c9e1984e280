import type { FieldSpec, Option } from "~/core/field.schema";

export const WIDGETS = "/settings/widgets";
export const widgetAddress = (id: string) => `${WIDGETS}/${id}`;

/** Of a new widget. */
export const WIDGET_DEFAULTS = {
  greeting: "Hi! How can I help?",
  documents: "none",
  perVisitor: 20,
  perNetwork: 100,
  maxLength: 2000,
  maxQuestions: 30,
  retentionDays: 30,
  budget: 5,
  budgetPeriod: "day",
} as const;

/** Lowest and highest values. */
export const WIDGET_LIMITS = {
  perVisitor: [1, 1000],
  perNetwork: [1, 10_000],
  maxLength: [10, 10_000],
  maxQuestions: [1, 100],
  retentionDays: [1, 365],
} as const;

function number(name: keyof typeof WIDGET_LIMITS, label: string, hint?: string): FieldSpec {
  const [min, max] = WIDGET_LIMITS[name];
  return { label, hint, control: { kind: "number", min, max } };
}

const line = (label: string, hint: string, more: Partial<FieldSpec> = {}): FieldSpec => ({
  label,
  hint,
  control: { kind: "text" },
  ...more,
});

const area = (label: string, hint?: string): FieldSpec => ({ label, hint, control: { kind: "textarea" } });

const select = (label: string, options: readonly Option[], hint?: string): FieldSpec => ({
  label,
  hint,
  control: { kind: "select", options },
});

/** The form's fields beside its tools, by what they are about. */
export const SHOWN_FIELDS = {
  name: line("Name", "Visitors see it as the chat's title", { required: true }),
  greeting: { ...area("Greeting"), required: true },
  starters: area("Starter questions", "One per line, at most 6. A visitor asks one by a click"),
  origins: area(
    "Allowed sites",
    "One origin per line, such as https://www.example.com. Without any, only the widget's own page opens",
  ),
};

/** What there is to select, which the server knows. */
export type WidgetOptions = Readonly<Record<"persona" | "model" | "documents", readonly Option[]>>;

export const answerFields = (options: WidgetOptions) => ({
  persona: select("Persona", options.persona, "One that everyone in the organization sees"),
  model: select("Model", options.model),
  documents: select(
    "Documents",
    options.documents,
    "Answers may repeat anything in them. Documents for specific people are never searched",
  ),
  color: line("Color", "Such as #1d4ed8; blank for the brand's primary color"),
});

export const LIMIT_FIELDS = {
  perVisitor: number("perVisitor", "Messages per visitor", "In an hour"),
  perNetwork: number("perNetwork", "Messages per network address", "In an hour; an office may share one"),
  maxLength: number("maxLength", "Characters per message"),
  maxQuestions: number("maxQuestions", "Messages per conversation"),
  retentionDays: number("retentionDays", "Days kept", "Conversations are deleted after their last message"),
  expiresOn: line("Last day", "Blank for no end", { control: { kind: "text", type: "date" } }),
};

/** Of a new widget alone. */
export const BUDGET_FIELDS: Record<string, FieldSpec> = {
  budget: {
    label: "Budget in US dollars",
    hint: "Changed under Budgets later",
    control: { kind: "number", min: 0, step: 0.01 },
  },
  budgetPeriod: select("Budget per", [
    { value: "day", label: "Day" },
    { value: "month", label: "Month" },
  ]),
};

/**
 * The line that a site embeds; the button has the widget's own color.
 * @param origin the console's address as the site's visitors see it
 */
export const snippetOf = (origin: string, { token, color }: { token: string; color: string }): string =>
  `<script src="${origin}/widget.js" data-widget="${token}"${color && ` data-color="${color}"`} async></script>`;

export const sourceText = ({ title, location }: { title: string; location: string }): string =>
  [title, location].filter(Boolean).join(", ");
