// Generated from the catalog of tools by `cargo xtask clients`. Do not edit.

/** A method for each tool; a subclass has `call`. */
export class Tools {
  fileRead(args = {}, options = undefined) {
    return this.call('file_read', args, options)
  }

  fileEdit(args = {}, options = undefined) {
    return this.call('file_edit', args, options)
  }

  fileCreate(args, options = undefined) {
    return this.call('file_create', args, options)
  }

  fileDelete(args = {}, options = undefined) {
    return this.call('file_delete', args, options)
  }

  fileMove(args = {}, options = undefined) {
    return this.call('file_move', args, options)
  }

  fileRename(args, options = undefined) {
    return this.call('file_rename', args, options)
  }

  fileDuplicate(args, options = undefined) {
    return this.call('file_duplicate', args, options)
  }

  query(args, options = undefined) {
    return this.call('query', args, options)
  }

  open(args = {}, options = undefined) {
    return this.call('open', args, options)
  }

  fileUndo(args = {}, options = undefined) {
    return this.call('file_undo', args, options)
  }

  fileHistory(args = {}, options = undefined) {
    return this.call('file_history', args, options)
  }
}
