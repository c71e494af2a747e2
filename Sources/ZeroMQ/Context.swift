internal import CZeroMQ

/// A libzmq context: its I/O thread and its `inproc` names. Ends when the last of its sockets is gone.
// The handle is made in init and freed in deinit, and libzmq allows a context on any thread.
@safe package final class Context {
  let handle: UnsafeMutableRawPointer

  /// - Parameter mostSockets: that it may have at once; libzmq's own bound is 1023.
  package init(mostSockets: Int = 1023) throws(ZeroMQError) {
    guard let handle = unsafe zmq_ctx_new() else { throw ZeroMQError("zmq_ctx_new") }
    guard unsafe zmq_ctx_set(handle, ZMQ_MAX_SOCKETS, Int32(mostSockets)) == 0 else {
      let error = ZeroMQError("zmq_ctx_set")
      unsafe zmq_ctx_term(handle)
      throw error
    }
    unsafe self.handle = handle
  }

  // Sockets hold their context, so none is open here and the call waits for no more than their linger.
  deinit { unsafe zmq_ctx_term(handle) }
}
