package import Subprocess

extension Command {
  /// The same command on a kernel without one system call: the call fails with ENOSYS.
  package func hiding(call number: Int) -> Command {
    var command = self
    command.executable = "/usr/bin/python3"
    command.arguments = ["-c", Self.filter, "\(number)", executable] + arguments
    return command
  }

  /// A script that makes the kernel answer one system call with ENOSYS, and then becomes another program.
  private static let filter = """
    import ctypes, os, struct, sys
    class Program(ctypes.Structure): _fields_ = [("count", ctypes.c_ushort), ("code", ctypes.c_void_p)]
    steps = [(0x20, 0, 0, 0), (0x15, 0, 1, int(sys.argv[1])), (0x06, 0, 0, 0x50000 | 38), (0x06, 0, 0, 0x7fff0000)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    libc = ctypes.CDLL(None)
    assert libc.prctl(38, 1, 0, 0, 0) == 0
    assert libc.prctl(22, 2, ctypes.byref(Program(len(steps), ctypes.addressof(code))), 0, 0) == 0
    os.execv(sys.argv[2], sys.argv[2:])
    """
}
