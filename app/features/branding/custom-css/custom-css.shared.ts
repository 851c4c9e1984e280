/**
 * Attribute of the `html` element on pages with custom CSS. Its rules apply below it only, so they can't reach sign-in,
 * settings or `?safe=1`, even if a browser still has the style sheet.
 */
export const CUSTOM_CSS_ATTRIBUTE = "data-custom-css";
