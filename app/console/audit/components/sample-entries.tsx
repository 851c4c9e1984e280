import { Sample, StatusDot } from "~/ui/badge";
import { toneOf } from "./sentences";

/** Shown until there is an entry (console.md, section 4). */
const SAMPLES = [
  { action: "workflow.executed", sentence: "Ran the workflow Daily report" },
  { action: "document.uploaded", sentence: "Added the document handbook.pdf" },
  { action: "persona.created", sentence: "Created the persona Research analyst" },
  { action: "provider.updated", sentence: "Changed the provider openai" },
  { action: "user.login", sentence: "Signed in" },
];

export function SampleEntries() {
  return (
    <ul aria-label="Sample entries" className="-my-2.5 divide-y divide-line text-muted">
      {SAMPLES.map(({ action, sentence }) => (
        <li key={action} className="flex items-baseline gap-3 py-2.5">
          <StatusDot tone={toneOf(action)} className="translate-y-[-1px]" />
          <span className="min-w-0 flex-1 truncate">{sentence}</span>
          <Sample />
        </li>
      ))}
    </ul>
  );
}
