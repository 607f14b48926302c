"""What comes from outside, checked: values, positions, files, boxes, requests for memory."""
