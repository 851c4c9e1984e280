import { Form, useNavigation } from "@remix-run/react";
import type { ReactNode } from "react";
import { Badge } from "~/ui/badge";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import { type Result, readResult } from "~/ui/form-result";
import { Field, Input } from "~/ui/input";
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
  failed: { label: "Failed", tone: "danger" },
} as const;

/** Calls that are shown; the earlier ones are folded. */
const LATEST = 10;

export function EgressCard({ allow, calls, result }: EgressCardProps) {
  return (
    <Card
      id="outgoing-calls"
      title="Outgoing Calls"
      description="Allow private hosts, and review the last calls with the reason each was refused"
    >
      <div className="flex flex-col gap-4">
        <AllowList allow={allow} />
        <AllowForm result={result} />
        {calls.length === 0 ? (
          <p className="text-muted text-sm">No calls since the last start.</p>
        ) : (
          <>
            <Calls label="Last outgoing calls" calls={calls.slice(0, LATEST)} allow={allow} />
            {calls.length > LATEST && (
              <details>
                <summary className="disclosure w-fit rounded-sm py-1.5 text-muted text-sm hover:text-ink pointer-coarse:py-3">
                  Earlier calls ({calls.length - LATEST})
                </summary>
                <Calls label="Earlier outgoing calls" calls={calls.slice(LATEST)} allow={allow} />
              </details>
            )}
          </>
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
        <HostRow key={entry} action={<HostForm entry={entry} intent="disallow-host" label="Remove" />}>
          <span className="wrap-anywhere font-mono text-sm">{entry}</span>
        </HostRow>
      ))}
    </ul>
  );
}

function HostRow({ action, children }: { action: ReactNode; children: ReactNode }) {
  return (
    <li className="flex items-center justify-between gap-4 border-line py-2 not-last:border-b">
      <div className="min-w-0 flex-1">{children}</div>
      <div className="flex shrink-0 items-center gap-2">{action}</div>
    </li>
  );
}

interface HostFormProps {
  entry: string;
  intent: "allow-host" | "disallow-host";
  label: string;
}

function HostForm({ entry, intent, label }: HostFormProps) {
  return (
    <Form method="post" preventScrollReset>
      <input type="hidden" name="entry" value={entry} />
      <Button size="sm" name="intent" value={intent} aria-label={`${label} ${entry}`}>
        {label}
      </Button>
    </Form>
  );
}

function AllowForm({ result }: { result: Result }) {
  const pending = useNavigation().formData?.get("intent") === "allow-host";
  const { errors, submitted } = readResult(result);
  return (
    <Form method="post" preventScrollReset noValidate className="flex flex-wrap items-start gap-2">
      <Field
        label="Host or network"
        name="entry"
        hint="Enter a host, host:port, *.suffix or a network such as 10.1.0.0/16"
        error={errors.entry?.[0] ?? errors.allow?.[0]}
        required
        className="min-w-0 flex-[1_1_18rem]"
      >
        <Input defaultValue={typeof submitted?.entry === "string" ? submitted.entry : ""} />
      </Field>
      <Button name="intent" value="allow-host" pending={pending} className="sm:mt-6.5">
        Allow Host
      </Button>
    </Form>
  );
}

function Calls({ label, calls, allow }: Pick<EgressCardProps, "calls" | "allow"> & { label: string }) {
  return (
    <ul aria-label={label} className="flex flex-col">
      {calls.map((call, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two calls may be equal in everything.
        <CallRow key={index} call={call} isListed={allow.includes(`${call.host}:${call.port}`)} />
      ))}
    </ul>
  );
}

function CallRow({ call, isListed }: { call: EgressCallEntry; isListed: boolean }) {
  const entry = `${call.host}:${call.port}`;
  const { label, tone } = VERDICTS[call.verdict];
  const canAllow = call.verdict === "refused" && !isListed;
  return (
    <HostRow
      action={
        <>
          <Badge tone={tone}>{call.status ? `${label}, ${call.status}` : label}</Badge>
          {canAllow && <HostForm entry={entry} intent="allow-host" label="Allow" />}
        </>
      }
    >
      <p className="wrap-anywhere font-mono text-xs">
        {call.method} {entry}
      </p>
      <p className="wrap-anywhere text-muted text-xs">
        {call.purpose} · <RelativeTime at={call.at} />
      </p>
      {call.reason && (
        <p className="wrap-anywhere text-muted text-xs first-letter:uppercase">{call.reason}</p>
      )}
    </HostRow>
  );
}
