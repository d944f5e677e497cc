/** The SDK keeps next to nothing, so neither do we; our log lets the last exchange stay in any case. */
export const KEPT_BY_SDK = 1;
