import { withBase } from "~/core/base-path";

function Logo({ className = "size-7" }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className={className}>
      <rect width="32" height="32" rx="8" className="fill-primary-solid" />
      <circle cx="16" cy="16" r="7.75" className="stroke-on-solid" fill="none" strokeWidth="2.5" />
      <path d="M16 16h9v9h-9z" className="fill-on-solid" />
    </svg>
  );
}

interface BrandLogoProps {
  /** Path of the brand's own logo; empty without one. */
  src: string;
  /** The first letter of a name other than the product's; empty for the product's mark. */
  initial: string;
  className?: string;
}

export function BrandLogo({ src, initial, className = "size-7" }: BrandLogoProps) {
  if (!src.startsWith("/") && initial !== "")
    return (
      <span
        aria-hidden="true"
        className={`@container grid shrink-0 place-items-center rounded-[25%] bg-primary-solid font-semibold text-on-solid ${className}`}
      >
        <span className="text-[55cqw] leading-none">{initial}</span>
      </span>
    );
  if (!src.startsWith("/")) return <Logo className={className} />;
  return <img src={withBase(src)} alt="" className={`${className} object-contain`} />;
}
