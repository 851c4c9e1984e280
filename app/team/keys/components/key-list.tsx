import { Link } from "@remix-run/react";
import { KeyRound, Send, Trash2 } from "lucide-react";
import { Badge, StatusDot } from "~/ui/badge";
import { CopyLine } from "~/ui/copy-line";
import { Row } from "~/ui/row";
import { RowList } from "~/ui/row-selection";
import { RelativeTime } from "~/ui/time";
import type { KeyReference } from "../keys.schema";
import type { KeyPlace, KeyUse } from "../keys.shared";
import { KEY_PROVIDER_LABELS, KEY_STEPS } from "../keys.shared";

interface KeyListProps {
  keys: KeyReference[];
  uses: readonly KeyUse[];
  dialogTo: (dialog: "remove-key" | "key-origin", id: string) => string;
  mayChangeOrigin: boolean;
  place: KeyPlace;
}

export function KeyList({ keys, uses, dialogTo, mayChangeOrigin, place }: KeyListProps) {
  return (
    <RowList label="Key references">
      {keys.map((key) => (
        <Row
          key={key.id}
          name={key.alias}
          title={<span className="font-mono">{key.alias}</span>}
          icon={<KeyRound aria-hidden="true" />}
          state={
            key.source === "environment" ? (
              <Badge>From the environment</Badge>
            ) : (
              !key.present && (
                <Badge tone="warning" icon={<StatusDot tone="warning" />}>
                  Not set
                </Badge>
              )
            )
          }
          meta={
            <>
              {KEY_PROVIDER_LABELS[key.provider]} ·{" "}
              {key.origins.length > 0 ? `sent to ${key.origins.join(" and ")}` : "sent to its own server"}
              {key.createdAt && (
                <>
                  {" "}
                  · <RelativeTime at={key.createdAt} />
                </>
              )}
            </>
          }
          details={
            <div className="flex flex-col gap-1.5">
              {!key.present && <CopyLine line={`${key.alias}=`} rest="your key" hint={KEY_STEPS[place]} />}
              <Uses uses={uses.filter(({ keyId }) => keyId === key.id)} />
            </div>
          }
          actions={
            key.source === "environment"
              ? []
              : [
                  ...(mayChangeOrigin && key.origins.length > 0
                    ? [
                        {
                          label: "Change Address",
                          fullLabel: `Change where ${key.alias} is sent`,
                          icon: <Send />,
                          to: dialogTo("key-origin", key.id),
                        },
                      ]
                    : []),
                  { label: "Remove", icon: <Trash2 />, to: dialogTo("remove-key", key.id) },
                ]
          }
        />
      ))}
    </RowList>
  );
}

function Uses({ uses }: { uses: readonly KeyUse[] }) {
  if (uses.length === 0) return <p className="text-muted text-xs">Not in use</p>;
  return (
    <p className="wrap-anywhere text-muted text-xs">
      Used by{" "}
      {uses.map(({ kind, name, to }, index) => (
        <span key={`${kind} ${name} ${to}`}>
          {index > 0 && ", "}
          {kind.toLowerCase()}{" "}
          <Link to={to} className="text-primary-ink underline-offset-4 hover:underline">
            {name}
          </Link>
        </span>
      ))}
    </p>
  );
}
