import { isRouteErrorResponse, useLocation } from "@remix-run/react";
import { CloudOff, Compass, LockKeyhole } from "lucide-react";
import { LinkButton } from "./button";
import { EmptyState } from "./empty-state";

const text = (value: unknown) => (typeof value === "string" ? value : undefined);

export function ErrorPage({ error }: { error: unknown }) {
  const location = useLocation();
  const response = isRouteErrorResponse(error) ? error : undefined;
  if (response?.status === 404 && typeof response.data !== "object")
    return <NotFound path={location.pathname} />;
  const problem: { title?: unknown; detail?: unknown; requestId?: unknown } =
    response && typeof response.data === "object" && response.data ? response.data : {};
  const requestId = text(problem.requestId);
  // Neither a retry nor a request id would help.
  const isFinal = response?.status === 403 || response?.status === 404;
  const { icon: Icon, title } =
    response?.status === 403
      ? { icon: LockKeyhole, title: "You don't have access" }
      : response?.status === 404
        ? { icon: Compass, title: "Page Not Found" }
        : { icon: CloudOff, title: "Something went wrong" };
  return (
    <div role="alert">
      <EmptyState
        level={1}
        icon={<Icon />}
        title={title}
        description={
          <>
            {text(problem.detail) ??
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
            <LinkButton to="/" variant={isFinal ? "primary" : "secondary"} reloadDocument>
              Back to Dashboard
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
