import { LinkButton } from "./button";

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
      <p className="mt-2 text-muted">Did you forget to add the page to the router?</p>
      <code className="mt-5 max-w-full overflow-x-auto rounded-md border border-line bg-sunken px-3 py-2 text-left font-mono text-muted text-xs">
        No route matches {path}
      </code>
      <div className="mt-6">
        <LinkButton to="/" variant="primary">
          Back to Dashboard
        </LinkButton>
      </div>
    </div>
  );
}
