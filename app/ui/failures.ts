export interface Failure {
  title: string;
  text?: string;
}

/** How screens say that a change failed; the browser says so where the answer never came from the console. */
export const FAILURES = {
  runWorkflow: { title: "Run failed", text: "Failed to run workflow:" },
  deleteWorkflow: { title: "Delete failed", text: "Could not delete workflow." },
  createWorkflow: { title: "Failed to create workflow" },
  updateWorkflow: { title: "Update failed", text: "Could not update workflow." },
  installPlugin: { title: "Installation Failed", text: "Failed to install plugin." },
  uninstallPlugin: { title: "Uninstall Failed" },
  updatePlugin: { title: "Update Failed" },
  createPersona: { title: "Failed to create persona" },
  updatePersona: { title: "Failed to update persona" },
  ingest: { title: "Ingestion Failed", text: "Failed to ingest document. Please try again." },
  saveBranding: { title: "Failed to save branding settings" },
  saveAdvanced: { title: "Failed to save advanced settings" },
  createProvider: { title: "Failed to create provider" },
  deleteProvider: { title: "Failed to delete provider" },
  updateProvider: { title: "Failed to update provider" },
  discoverModels: { title: "Error", text: "Failed to discover models from external providers." },
  addKey: { title: "Add failed", text: "Failed to add API key:" },
  deleteKey: { title: "Delete failed", text: "Failed to delete API key:" },
} as const satisfies Record<string, Failure>;

export const describeFailure = ({ text }: Failure, detail: string): string =>
  text ? `${text} ${detail}` : detail;

export const failureSentence = ({ title, text }: Failure, detail: string): string =>
  `${text ?? `${title}:`} ${detail}`;

const ANY = /./;

/** Which forms make a change, by the path they are sent to and their intent; the first that matches. */
const FORMS: readonly [path: RegExp, intent: RegExp, failure: Failure][] = [
  [/^\/workflows/, /^(run|repeat)$/, FAILURES.runWorkflow],
  [/^\/workflows/, /^delete$/, FAILURES.deleteWorkflow],
  [/^\/workflows$/, /^(create|import)$/, FAILURES.createWorkflow],
  [/^\/workflows\/builder$/, /^save$/, FAILURES.createWorkflow],
  [/^\/workflows/, ANY, FAILURES.updateWorkflow],
  [/^\/extensions$/, /^install$/, FAILURES.installPlugin],
  [/^\/extensions$/, /^uninstall$/, FAILURES.uninstallPlugin],
  [/^\/extensions$/, ANY, FAILURES.updatePlugin],
  [/^\/personas$/, /^create$/, FAILURES.createPersona],
  [/^\/personas$/, /^update$/, FAILURES.updatePersona],
  [/^\/rag(\/upload)?$/, /^(ingest-\w+|submit)$/, FAILURES.ingest],
  [/^\/settings\/branding/, ANY, FAILURES.saveBranding],
  [/^\/settings\/advanced$/, /^save$/, FAILURES.saveAdvanced],
  [/^\/settings\/providers$/, /^add-/, FAILURES.createProvider],
  [/^\/settings\/providers$/, /^delete-/, FAILURES.deleteProvider],
  [/^\/settings\/providers$/, ANY, FAILURES.updateProvider],
  [/^\/settings\/providers\/models$/, /^discover-models$/, FAILURES.discoverModels],
  [/^\/settings\/keys$/, /^add-key$/, FAILURES.addKey],
  [/^\/settings\/keys$/, /^remove-key$/, FAILURES.deleteKey],
];

export const failureOf = (path: string, intent: string): Failure =>
  FORMS.find(([ofPath, ofIntent]) => ofPath.test(path) && ofIntent.test(intent))?.[2] ?? {
    title: "The change wasn't saved",
  };

/** The problem's `detail`; without one, such as on a proxy's error page, the status. */
export function detailOf(status: number, body: unknown): string {
  const detail = typeof body === "object" && body !== null && "detail" in body ? body.detail : undefined;
  return typeof detail === "string" ? detail : `The server returned HTTP ${status}. Try again.`;
}

export async function problemDetail(response: Response): Promise<string> {
  return detailOf(response.status, await response.json().catch(() => undefined));
}

export const UNREACHABLE = "The server can't be reached. Check your connection and try again.";
