/// The results of `work` for each element, in the order of the elements. Several threads share the elements out, half by half; this
/// thread is one of them, and has joined the others when it returns.
///
/// - Parameter threads: the most threads that work, including this one.
/// - Throws: the error of the first element that has one, after all threads have ended.
package func concurrently<Element: Sendable, Value: Sendable, Failure: Error>(
  _ elements: ArraySlice<Element>, threads: Int, _ work: @escaping @Sendable (Element) throws(Failure) -> Value
) throws(Failure) -> [Value] {
  guard threads > 1, elements.count > 1 else { return try elements.map(work) }
  let middle = elements.startIndex + elements.count / 2
  let (here, there) = (elements[..<middle], elements[middle...])
  let others = JoinableThread {
    Result { () throws(Failure) in try concurrently(there, threads: threads / 2, work) }
  }
  let own = Result { () throws(Failure) in try concurrently(here, threads: threads - threads / 2, work) }
  let further = others.join()
  return try own.get() + further.get()
}
