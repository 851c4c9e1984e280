import { Form } from "@remix-run/react";
import { Badge } from "~/ui/badge";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import { RelativeTime } from "~/ui/time";
import type { SessionInfo } from "../members.schema";
import { browserName } from "./browser-name";

/** Where a person is signed in, each place with a way to end it. */
export function SessionsCard({ sessions }: { sessions: SessionInfo[] }) {
  return (
    <Card
      title="Sessions"
      description="Where you are signed in now."
      footer={
        <Form method="post">
          <Button name="intent" value="sign-out-everywhere">
            Sign out everywhere
          </Button>
        </Form>
      }
    >
      <ul className="flex flex-col divide-y divide-line">
        {sessions.map((session) => (
          <li
            key={session.id}
            className="flex flex-wrap items-center gap-x-4 gap-y-2 py-2.5 first:pt-0 last:pb-0"
          >
            <div className="min-w-0 flex-1">
              <p className="flex flex-wrap items-center gap-2">
                <span className="truncate font-medium">{browserName(session.userAgent)}</span>
                {session.current && <Badge tone="success">This browser</Badge>}
              </p>
              <p className="text-muted text-xs">
                {session.address && <>{session.address} · </>}
                last seen <RelativeTime at={session.lastSeenAt} />
              </p>
            </div>
            {!session.current && (
              <Form method="post">
                <input type="hidden" name="id" value={session.id} />
                <Button size="sm" name="intent" value="end-session">
                  Sign out
                </Button>
              </Form>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}
