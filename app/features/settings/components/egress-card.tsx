import { Form, useNavigation } from "@remix-run/react";
import { Badge } from "~/ui/badge";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import { Field } from "~/ui/field";
import { type Result, readResult } from "~/ui/form-result";
import { Input } from "~/ui/input";
import { RelativeTime } from "~/ui/time";
import type { EgressCallEntry } from "../egress.schema";

interface EgressCardProps {
  allow: readonly string[];
  calls: readonly EgressCallEntry[];
  result: Result;
}

const VERDICTS = {
  allowed: { label: "Allowed", tone: "success" },
  refused: { label: "Refused", tone: "danger" },
  failed: { label: "Failed", tone: "warning" },
} as const;

/** The allow list and recent calls. */
export function EgressCard({ allow, calls, result }: EgressCardProps) {
  return (
    <Card
      id="outgoing-calls"
      title="Outgoing calls"
      description="Allow private hosts, and review the last calls with the reason each was refused"
    >
      <div className="flex flex-col gap-4">
        <AllowList allow={allow} />
        <AllowForm result={result} />
        {calls.length === 0 ? (
          <p className="text-muted text-sm">No calls since the last start.</p>
        ) : (
          <Calls calls={calls} allow={allow} />
        )}
      </div>
    </Card>
  );
}

function AllowList({ allow }: { allow: readonly string[] }) {
  if (allow.length === 0)
    return <p className="text-muted text-sm">No private hosts allowed yet. EGRESS_ALLOW may allow more.</p>;
  return (
    <ul aria-label="Allowed hosts" className="flex flex-col">
      {allow.map((entry) => (
        <li
          key={entry}
          className="flex flex-wrap items-center justify-between gap-2 border-line py-1.5 not-last:border-b"
        >
          <span className="wrap-anywhere font-mono text-sm">{entry}</span>
          <Form method="post" preventScrollReset>
            <input type="hidden" name="entry" value={entry} />
            <Button size="sm" name="intent" value="disallow-host" aria-label={`Remove ${entry}`}>
              Remove
            </Button>
          </Form>
        </li>
      ))}
    </ul>
  );
}

function AllowForm({ result }: { result: Result }) {
  const pending = useNavigation().formData?.get("intent") === "allow-host";
  const { errors, sent } = readResult(result);
  return (
    <Form method="post" preventScrollReset noValidate className="flex flex-wrap items-end gap-2">
      <Field
        label="Host or network"
        name="entry"
        hint="Enter a host, host:port, *.suffix or a network such as 10.1.0.0/16"
        error={errors.entry?.[0] ?? errors.allow?.[0]}
        required
        className="min-w-0 flex-[1_1_18rem]"
      >
        <Input defaultValue={typeof sent?.entry === "string" ? sent.entry : ""} />
      </Field>
      <Button name="intent" value="allow-host" pending={pending}>
        Allow Host
      </Button>
    </Form>
  );
}

function Calls({ calls, allow }: Pick<EgressCardProps, "calls" | "allow">) {
  return (
    <ul aria-label="Last outgoing calls" className="flex flex-col">
      {calls.map((call, index) => {
        const entry = `${call.host}:${call.port}`;
        const { label, tone } = VERDICTS[call.verdict];
        return (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: two calls may be equal in everything.
            key={index}
            className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-line py-2 not-last:border-b"
          >
            <div className="min-w-0 flex-[1_1_14rem]">
              <p className="wrap-anywhere font-mono text-xs">
                {call.method} {entry}
              </p>
              <p className="wrap-anywhere text-muted text-xs">
                {call.purpose} · <RelativeTime at={call.at} />
              </p>
              {call.reason && <p className="wrap-anywhere text-muted text-xs">{call.reason}</p>}
            </div>
            <div className="flex items-center gap-2">
              <Badge tone={tone}>{call.status ? `${label}, ${call.status}` : label}</Badge>
              {call.verdict === "refused" && !allow.includes(entry) && (
                <Form method="post" preventScrollReset>
                  <input type="hidden" name="entry" value={entry} />
                  <Button size="sm" name="intent" value="allow-host" aria-label={`Allow ${entry}`}>
                    Allow
                  </Button>
                </Form>
              )}
            </div>
          </li>
        );
      })}
    </ul>
  );
}
