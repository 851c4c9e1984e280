import { CopyButton } from "~/ui/copy-button";

/** Base URLs for clients of OpenAI's and Anthropic's APIs. */
export function GatewayAddresses({ origin }: { origin: string }) {
  const rows = [
    ["OpenAI clients", `${origin}/v1`],
    ["Anthropic clients", origin],
  ] as const;
  return (
    <>
      <p className="text-muted text-xs">Set one of these as the base URL, and a token as the API key.</p>
      <dl className="mt-2 flex flex-col gap-1">
        {rows.map(([label, address]) => (
          <div key={label} className="flex flex-wrap items-center gap-x-3">
            <dt className="w-full shrink-0 sm:w-32 text-muted text-xs">{label}</dt>
            <dd className="flex min-w-0 flex-1 items-center gap-1">
              <code className="min-w-0 break-all font-mono text-xs">{address}</code>
              <CopyButton text={address} label={`Copy the address for ${label}`} />
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
