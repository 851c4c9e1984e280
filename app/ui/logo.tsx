/** The product's mark: a Q whose last quarter is filled. Takes the brand's colour. */
function Logo({ className = "size-7" }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className={className}>
      <rect width="32" height="32" rx="8" className="fill-primary-solid" />
      <circle cx="16" cy="16" r="7.75" className="stroke-on-solid" fill="none" strokeWidth="2.5" />
      <path d="M16 16h9v9h-9z" className="fill-on-solid" />
    </svg>
  );
}

/** The brand's own logo, or the product's mark without one. */
export function BrandLogo({ src, className = "size-7" }: { src: string; className?: string }) {
  if (!src.startsWith("/")) return <Logo className={className} />;
  return <img src={src} alt="" className={`${className} object-contain`} />;
}
