internal import CZeroMQ

/// A libzmq context: its I/O thread and its `inproc` names. It ends when the last of its sockets is gone.
// `@safe`: the handle is made in init and freed in deinit, and libzmq allows any thread to use a context.
@safe package final class Context {
  let handle: UnsafeMutableRawPointer

  /// Makes a context.
  ///
  /// - Parameter mostSockets: the most sockets at once; libzmq's own default is 1023.
  package init(mostSockets: Int = 1023) throws(ZeroMQError) {
    guard let handle = unsafe zmq_ctx_new() else { throw ZeroMQError("zmq_ctx_new") }
    guard unsafe zmq_ctx_set(handle, ZMQ_MAX_SOCKETS, Int32(mostSockets)) == 0 else {
      let error = ZeroMQError("zmq_ctx_set")
      unsafe zmq_ctx_term(handle)
      throw error
    }
    unsafe self.handle = handle
  }

  // Sockets hold their context, so none is open here. The call waits for at most the linger time of closed sockets.
  deinit { unsafe zmq_ctx_term(handle) }
}
