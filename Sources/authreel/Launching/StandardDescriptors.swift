import Foundation

/// The first three descriptors, which whoever started us may have closed.
enum StandardDescriptors {
    /// Keeps their places, so that no file of ours takes one and gets what is printed.
    ///
    /// Reading and writing fail there as before. Has to be called before anything is opened.
    static func keepPlaces() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest that is free.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
