import { Badge, StatusDot } from "~/ui/badge";
import { LinkButton } from "~/ui/button";
import { RelativeTime } from "~/ui/time";
import { KEY_PROVIDER_LABELS } from "../key-providers.schema";
import type { KeyReference } from "../keys.schema";

interface KeyListProps {
  keys: KeyReference[];
  /** Builds the address of a dialog about a key. */
  dialogTo: (dialog: "remove-key" | "key-origin", id: string) => string;
  /** Whether the reader may have a key sent elsewhere. */
  mayMove: boolean;
}

/** The key references, each with whether its variable is set on the server. */
export function KeyList({ keys, dialogTo, mayMove }: KeyListProps) {
  return (
    <ul className="overflow-hidden rounded-lg border border-line bg-surface shadow-card">
      {keys.map((key) => (
        <li
          key={key.id}
          className="flex flex-wrap items-center gap-x-4 gap-y-2 border-line px-4 py-3 not-last:border-b"
        >
          <div className="min-w-0 flex-[1_1_18rem]">
            <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
              <span className="break-all font-mono text-sm">{key.alias}</span>
              <Status present={key.present} />
            </p>
            <p className="break-words text-muted text-xs">
              {KEY_PROVIDER_LABELS[key.provider]} ·{" "}
              {key.origins.length > 0 ? `sent to ${key.origins.join(" and ")}` : "used for its own server"} ·{" "}
              <RelativeTime at={key.createdAt} />
            </p>
          </div>
          <div className="flex gap-2">
            {mayMove && key.origins.length > 0 && (
              <LinkButton
                size="sm"
                variant="ghost"
                to={dialogTo("key-origin", key.id)}
                preventScrollReset
                aria-label={`Change where ${key.alias} is sent`}
              >
                Change address
              </LinkButton>
            )}
            <LinkButton
              size="sm"
              to={dialogTo("remove-key", key.id)}
              preventScrollReset
              aria-label={`Remove ${key.alias}`}
            >
              Remove
            </LinkButton>
          </div>
        </li>
      ))}
    </ul>
  );
}

function Status({ present }: { present: boolean }) {
  const tone = present ? "success" : "warning";
  return (
    <Badge tone={tone} icon={<StatusDot tone={tone} />}>
      {present ? "Set" : "Not set"}
    </Badge>
  );
}
