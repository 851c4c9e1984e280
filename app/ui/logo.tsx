/** The product's mark: the deck's rail seen from above, a quarter of a circle. Takes the brand's colours. */
export function Logo({ className = "size-7" }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className={className}>
      <rect width="32" height="32" rx="8" className="fill-primary-solid" />
      <path d="M9 23V9a14 14 0 0 1 14 14Z" className="fill-on-solid/25" />
      <path
        d="M9 9a14 14 0 0 1 14 14"
        className="stroke-on-solid"
        fill="none"
        strokeWidth="2.5"
        strokeLinecap="round"
      />
      <path
        d="M9 16a7 7 0 0 1 7 7"
        className="stroke-on-solid"
        fill="none"
        strokeWidth="2.5"
        strokeLinecap="round"
      />
      <circle cx="9.5" cy="22.5" r="2" className="fill-on-solid" />
    </svg>
  );
}
