interface Failure {
  path: RegExp;
  intent: RegExp;
  title: string;
  /** Comes before the reason. */
  text?: string;
}

/** Texts of the specification's section 8, for actions whose response never came from the console. */
const FAILURES: readonly Failure[] = [
  { path: /^\/workflows/, intent: /^run$/, title: "Run failed", text: "Failed to run workflow:" },
  { path: /^\/workflows/, intent: /^delete$/, title: "Delete failed", text: "Could not delete workflow." },
  { path: /^\/workflows$/, intent: /^(create|import)$/, title: "Failed to create workflow" },
  { path: /^\/workflows\/builder$/, intent: /^save$/, title: "Failed to create workflow" },
  { path: /^\/workflows/, intent: /./, title: "Update failed", text: "Could not update workflow." },
  {
    path: /^\/extensions$/,
    intent: /^install$/,
    title: "Installation Failed",
    text: "Failed to install plugin.",
  },
  { path: /^\/extensions$/, intent: /^uninstall$/, title: "Uninstall Failed" },
  { path: /^\/extensions$/, intent: /./, title: "Update Failed" },
  { path: /^\/personas$/, intent: /^create$/, title: "Failed to create persona" },
  { path: /^\/personas$/, intent: /^update$/, title: "Failed to update persona" },
  {
    path: /^\/rag(\/upload)?$/,
    intent: /^(ingest-\w+|submit)$/,
    title: "Ingestion Failed",
    text: "Failed to ingest document. Please try again.",
  },
  { path: /^\/settings\/branding/, intent: /./, title: "Failed to save branding settings" },
  { path: /^\/settings\/advanced$/, intent: /^save$/, title: "Failed to save advanced settings" },
  { path: /^\/settings\/providers$/, intent: /^add-/, title: "Failed to create provider" },
  { path: /^\/settings\/providers$/, intent: /^delete-/, title: "Failed to delete provider" },
  { path: /^\/settings\/providers$/, intent: /./, title: "Failed to update provider" },
  {
    path: /^\/settings\/providers\/models$/,
    intent: /^discover-models$/,
    title: "Error",
    text: "Failed to discover models from external providers.",
  },
  { path: /^\/settings\/keys$/, intent: /^add-key$/, title: "Add failed", text: "Failed to add API key:" },
  {
    path: /^\/settings\/keys$/,
    intent: /^remove-key$/,
    title: "Delete failed",
    text: "Failed to delete API key:",
  },
];

/** @param detail reason for people */
export function describeActionFailure(path: string, intent: string, detail: string) {
  const failure = FAILURES.find((one) => one.path.test(path) && one.intent.test(intent));
  const { title = "The change wasn't saved", text } = failure ?? {};
  return { kind: "error" as const, title, description: text ? `${text} ${detail}` : detail };
}
