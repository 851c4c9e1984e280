import { CopyButton } from "~/ui/copy-button";
import { KEY_STEPS, type KeyPlace } from "../keys.shared";

/** The line that an operator adds to the environment for a key, to copy, and what to do with it. */
export function KeyLine({ alias, place }: { alias: string; place: KeyPlace }) {
  const line = `${alias}=`;
  return (
    <div className="text-xs">
      <p className="flex max-w-md items-center gap-1 rounded-md border border-line bg-sunken pl-2.5">
        <code className="wrap-anywhere min-w-0 flex-1 py-1 font-mono text-ink">
          {line}
          <span className="text-muted">your key</span>
        </code>
        <CopyButton text={line} label={`Copy ${line}`} />
      </p>
      <p className="pt-1 text-muted">{KEY_STEPS[place]}</p>
    </div>
  );
}
