import type { CSSProperties, ReactNode } from "react";

export const STREAMED_BUTTON =
  "inline-flex min-h-9 items-center rounded-md border border-line bg-raised px-3.5 font-medium text-sm hover:bg-hover pointer-coarse:min-h-11";

export interface StreamedPageProps {
  title: string;
  stylesheet: string;
  theme: string;
  brandStyle: CSSProperties;
  head: ReactNode;
}

export function StreamedPage({
  title,
  stylesheet,
  theme,
  brandStyle,
  head,
  children,
}: StreamedPageProps & { children: ReactNode }) {
  return (
    <html lang="en" data-theme={theme} data-custom-css="" style={brandStyle}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{title}</title>
        <link rel="stylesheet" href={stylesheet} />
        {head}
      </head>
      <body>{children}</body>
    </html>
  );
}
