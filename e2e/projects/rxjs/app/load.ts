/** @returns {import('rxjs').Observable<unknown>} */
export async function load(url: string) {
  const { ajax } = await import('rxjs/internal/ajax/ajax');
  const { Subject, map } = await import('rxjs');
  const loads = new Subject<import('rxjs').ObservableInput<unknown>>();
  loads.next(ajax(url).pipe(map((answer) => answer.response)));
  return loads;
}

export type Loaded = ReturnType<typeof import('rxjs').firstValueFrom>;
