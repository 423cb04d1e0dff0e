declare module "vitest" {
  interface Loose {
    <T = unknown>(...args: any[]): Loose;
    [name: string]: Loose;
  }
  export const test: Loose;
  export const it: Loose;
  export const describe: Loose;
  export const expect: Loose;
  export const expectTypeOf: Loose;
  export const assertType: Loose;
  export const vi: Loose;
  export const beforeEach: Loose;
  export const afterEach: Loose;
  export const beforeAll: Loose;
  export const afterAll: Loose;
}
