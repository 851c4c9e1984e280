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

/** @param origin the console's address as the site's visitors see it */
export const snippetOf = (origin: string, token: string): string =>
  `<script src="${origin}/widget.js" data-widget="${token}" async></script>`;

export const sourceText = ({ title, location }: { title: string; location: string }): string =>
  [title, location].filter(Boolean).join(", ");
