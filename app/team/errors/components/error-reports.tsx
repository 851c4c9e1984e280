import { Form } from "@remix-run/react";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import { RelativeTime } from "~/ui/time";
import type { ErrorReport } from "../errors.schema";

export function ErrorReports({ errors, isOn }: { errors: ErrorReport[]; isOn: boolean }) {
  return (
    <Card
      title="Last Errors"
      description="Review unexpected errors of this server, the most recent first"
      actions={
        errors.length > 0 && (
          <Form method="post" preventScrollReset>
            <Button type="submit" size="sm" name="intent" value="clear-errors">
              Clear
            </Button>
          </Form>
        )
      }
    >
      {errors.length === 0 ? (
        <p className="text-muted text-sm">
          {isOn ? "No unexpected error has occurred." : "Error reporting is off."}
        </p>
      ) : (
        <ul className="flex flex-col">
          {errors.map(({ message, detail, stack, requestId, count, lastAt }) => (
            <li key={`${message} ${lastAt}`} className="border-line py-3 not-last:border-b">
              <p className="wrap-anywhere text-sm">
                {message}
                {detail && `: ${detail}`}
              </p>
              <p className="text-muted text-xs">
                {count === 1 ? "Once" : `${count} times`}, last <RelativeTime at={lastAt} />
                {requestId && ` in request ${requestId}`}
              </p>
              {stack && (
                <details className="mt-1 text-xs">
                  <summary className="disclosure w-fit cursor-pointer text-muted hover:text-ink">
                    Stack
                  </summary>
                  <pre className="mt-1 whitespace-pre-wrap break-words rounded-md bg-sunken p-2">{stack}</pre>
                </details>
              )}
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
