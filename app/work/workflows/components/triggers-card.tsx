import { Form } from "@remix-run/react";
import { Button, LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { CopyButton } from "~/ui/copy-button";
import { RelativeTime } from "~/ui/time";
import { type ScheduleText, scheduleLine } from "../schedule.shared";
import type { Poll } from "../workflows.schema";

/** With the next check in words. */
type ShownPoll = Poll & { next: string };

interface TriggersCardProps {
  triggers: readonly { id: string; type: string; label: string; detail?: string; schedule?: ScheduleText }[];
  /** As ISO dates, and in words in the schedule's own zone. */
  dueTimes: Readonly<Record<string, readonly { at: string; text: string }[]>>;
  webhooks: readonly {
    triggerId: string;
    address: string;
    isForm?: boolean;
    curl?: { line: string; secret?: string };
  }[];
  calls: readonly { id: string; triggerId: string; status: number; reason: string | null; at: string }[];
  polls: readonly ShownPoll[];
  mayWrite: boolean;
  /** Address of the dialog that changes a trigger's address. */
  rotateTo: (id: string) => string;
}

/** Next due times of schedules, URL and recent calls of webhooks. */
export function TriggersCard({
  triggers,
  dueTimes,
  webhooks,
  calls,
  polls,
  mayWrite,
  rotateTo,
}: TriggersCardProps) {
  return (
    <Card title="Triggers">
      {triggers.length === 0 && <p className="text-muted">Other workflows can call it.</p>}
      <ul className="flex flex-col gap-4">
        {triggers.map(({ id, label, detail, schedule }) => {
          const hook = webhooks.find(({ triggerId }) => triggerId === id);
          const poll = polls.find(({ triggerId }) => triggerId === id);
          const times = dueTimes[id] ?? [];
          const own = calls.filter(({ triggerId }) => triggerId === id);
          return (
            <li key={id} className="flex min-w-0 flex-col gap-1.5">
              <p className="flex flex-wrap items-baseline gap-x-2 font-medium">
                <span>{label}</span>
                {detail && !schedule && (
                  <span className="min-w-0 font-mono font-normal text-muted text-xs [overflow-wrap:anywhere]">
                    {detail}
                  </span>
                )}
              </p>
              {schedule && (
                <p>{scheduleLine(times.length > 0 ? schedule : { ...schedule, next: undefined })}</p>
              )}
              {times.length > 0 && (
                <details>
                  <summary className="disclosure cursor-pointer text-muted text-xs">Next runs</summary>
                  <ul aria-label="Next runs" className="mt-1 text-muted text-xs">
                    {times.map(({ at, text }) => (
                      <li key={at}>
                        <time dateTime={at}>{text}</time>
                      </li>
                    ))}
                  </ul>
                </details>
              )}
              {hook && (
                <div className="flex min-w-0 flex-col gap-1.5">
                  <div className="flex min-w-0 items-center gap-1">
                    <code
                      className="min-w-0 flex-1 truncate rounded-sm bg-sunken px-2 py-1 text-xs"
                      title={hook.address}
                    >
                      {hook.isForm ? (
                        <a
                          href={hook.address}
                          target="_blank"
                          rel="noreferrer"
                          className="block min-h-6 content-center truncate underline pointer-coarse:min-h-11"
                        >
                          {hook.address}
                        </a>
                      ) : (
                        hook.address
                      )}
                    </code>
                    <CopyButton text={hook.address} label={`Copy the address of ${label}`} />
                  </div>
                  {hook.curl && <Curl {...hook.curl} />}
                  {mayWrite && (
                    <LinkButton
                      size="sm"
                      className="self-start"
                      to={rotateTo(id)}
                      preventScrollReset
                      aria-label={`Change Address of ${label}`}
                    >
                      Change Address
                    </LinkButton>
                  )}
                </div>
              )}
              {poll && <PollState poll={poll} label={label} />}
              {own.length > 0 && (
                <details>
                  <summary className="disclosure cursor-pointer text-muted text-xs">Last calls</summary>
                  <ul className="mt-1 flex flex-col gap-1 text-xs">
                    {own.map(({ id: call, status, reason, at }) => (
                      <li key={call}>
                        <span className="font-mono">{status}</span> · <RelativeTime at={at} style="short" />
                        {reason && ` · ${reason}`}
                      </li>
                    ))}
                  </ul>
                </details>
              )}
            </li>
          );
        })}
      </ul>
    </Card>
  );
}

/** When a feed or a mailbox was checked, and why it couldn't be. */
function PollState({ poll, label }: PollStateProps) {
  const { triggerId, next, error, failures } = poll;
  return (
    <>
      <p className="text-muted text-xs">
        <LastCheck poll={poll} />
        {` · next check ${next}`}
      </p>
      {error && (
        <p className="text-danger-ink text-xs [overflow-wrap:anywhere]">
          {error} {failures > 1 && `${failures} checks failed in a row.`}
        </p>
      )}
      <Form method="post">
        <input type="hidden" name="trigger" value={triggerId} />
        <Button size="sm" name="intent" value="check" aria-label={`Check ${label} now`}>
          Check Now
        </Button>
      </Form>
    </>
  );
}

function LastCheck({ poll: { checkedAt, failedAt, error } }: Pick<PollStateProps, "poll">) {
  const time = (at: string | null) => at && <RelativeTime at={at} style="running" />;
  if (error === null) return checkedAt ? <>Checked {time(checkedAt)}</> : "Not checked yet";
  return (
    <>
      Last check failed{failedAt && <> {time(failedAt)}</>}
      {checkedAt ? <> · last success {time(checkedAt)}</> : " · no check succeeded yet"}
    </>
  );
}

interface PollStateProps {
  poll: ShownPoll;
  label: string;
}

/** A call to copy into a shell. */
function Curl({ line, secret }: { line: string; secret?: string }) {
  return (
    <details>
      <summary className="disclosure cursor-pointer text-muted text-xs">Call it with curl</summary>
      <div className="relative mt-1">
        <pre className="overflow-x-auto whitespace-pre-wrap rounded-md bg-sunken p-2 pr-11 font-mono text-xs [overflow-wrap:anywhere]">
          {line}
        </pre>
        <CopyButton text={line} label="Copy the curl command" className="absolute top-1 right-1" />
      </div>
      {secret && (
        <p className="mt-1 text-muted text-xs">
          Set <code>KEY</code> to the secret of {secret} first.
        </p>
      )}
    </details>
  );
}
