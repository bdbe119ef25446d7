/** The package ships these types beside its files instead of at them. */
declare module "sucrase/dist/parser/index.js" {
  export interface SucraseToken {
    readonly type: number;
    readonly start: number;
    readonly end: number;
    readonly isType: boolean;
  }
  export function parse(
    input: string,
    isJsx: boolean,
    isTypeScript: boolean,
    isFlow: boolean,
  ): { readonly tokens: readonly SucraseToken[] };
}
