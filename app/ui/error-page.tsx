import { isRouteErrorResponse, useLocation } from "@remix-run/react";
import { CloudOff, Compass, LockKeyhole } from "lucide-react";
import { LinkButton } from "./button";
import { EmptyState } from "./empty-state";
import { splitMessage } from "./format";

const text = (value: unknown) => (typeof value === "string" ? value : undefined);

/** Where a person goes on from a page that can't be shown. */
interface Place {
  name: string;
  to: string;
}

interface ErrorPageProps {
  error: unknown;
  /** The section of the address. */
  section?: Place | undefined;
}

const DASHBOARD: Place = { name: "Dashboard", to: "/" };

/** A refusal's first sentence, such as "Folder not found.", is the heading. */
function explain(status: number | undefined, detail: string | undefined) {
  if (status === 403) return { icon: LockKeyhole, title: "You don't have access", text: detail };
  if (status !== 404) return { icon: CloudOff, title: "Something went wrong", text: detail };
  const { title, rest } = splitMessage(detail ?? "");
  return { icon: Compass, title: title || "Page Not Found", text: rest };
}

export function ErrorPage({ error, section = DASHBOARD }: ErrorPageProps) {
  const location = useLocation();
  const response = isRouteErrorResponse(error) ? error : undefined;
  if (response?.status === 404 && typeof response.data !== "object")
    return <NotFound path={location.pathname} />;
  const problem: { title?: unknown; detail?: unknown; requestId?: unknown } =
    response && typeof response.data === "object" && response.data ? response.data : {};
  const requestId = text(problem.requestId);
  // Neither a retry nor a request id would help.
  const isFinal = response?.status === 403 || response?.status === 404;
  const { icon: Icon, title, text: reason } = explain(response?.status, text(problem.detail));
  // Its own address can't be shown either.
  const place = section.to === location.pathname ? DASHBOARD : section;
  return (
    <div role="alert">
      <EmptyState
        level={1}
        icon={<Icon />}
        title={title}
        description={
          <>
            {reason ??
              "This page couldn't load. Your saved work is safe. Try again, or contact your administrator."}
            {requestId && !isFinal && (
              <span className="mt-2 block font-mono text-xs">Request {requestId}</span>
            )}
          </>
        }
        action={
          <>
            {!isFinal && (
              <LinkButton to={location.pathname + location.search} variant="primary" reloadDocument>
                Try Again
              </LinkButton>
            )}
            <LinkButton to={place.to} variant={isFinal ? "primary" : "secondary"} reloadDocument>
              Back to {place.name}
            </LinkButton>
          </>
        }
      />
    </div>
  );
}

export function NotFound({ path }: { path: string }) {
  return (
    <div className="mx-auto grid max-w-xl place-items-center px-4 py-[16vh] text-center">
      <p
        aria-hidden="true"
        className="bg-linear-to-b from-primary-ink to-secondary-ink bg-clip-text font-semibold text-display text-transparent"
      >
        404
      </p>
      <h1 className="mt-2 text-lg">404 Page Not Found</h1>
      <p className="mt-2 text-muted">There is no page at this address.</p>
      <code className="mt-5 max-w-full overflow-x-auto rounded-md border border-line bg-sunken px-3 py-2 text-left font-mono text-muted text-xs">
        {path}
      </code>
      <div className="mt-6">
        <LinkButton to="/" variant="primary">
          Back to Dashboard
        </LinkButton>
      </div>
      <p className="mt-10 text-muted text-xs">
        For developers: Did you forget to add the page to the router? No route matches this address.
      </p>
    </div>
  );
}
